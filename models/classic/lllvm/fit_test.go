package lllvm

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"unfold/internal/testkit/tier"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
)

// single is a swiss roll in single precision.
func single(tb testing.TB, n int) vec.Matrix[float32] {
	return vec.Convert[float32](modeltest.SwissRoll(n))
}

func fitted(t *testing.T, x vec.Matrix[float32], s FitSettings) *Fitted {
	t.Helper()
	f, err := Fit(context.Background(), x, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Fit keeps the highest bound over all starts and numbers of neighbours, and its choice is the same
// for any number of threads.
func TestFitKeepsTheBestBound(t *testing.T) {
	x := single(t, 90)
	s := FitSettings{Common: models.Common{Neighbors: 5, Steps: 8, Seed: 4}, Options: Options{Points: 60, MaxNeighbors: 7, Restarts: 3}}
	var first *Fitted
	for _, s.Threads = range []int{1, 4} {
		f := fitted(t, x, s)
		if len(f.Runs) != 9 || len(f.Learnt) != 60 || f.Settings.Neighbors != f.Runs[f.Best].Neighbors {
			t.Fatalf("%d runs of %d points, %d neighbours, best %+v", len(f.Runs), len(f.Learnt), f.Settings.Neighbors, f.Runs[f.Best])
		}
		for i, r := range f.Runs {
			if r.Neighbors != 5+i/3 || r.Start != i%3 || r.Bound > f.Runs[f.Best].Bound || r.Iterations < 1 {
				t.Errorf("run %d: %+v, best %+v", i, r, f.Runs[f.Best])
			}
		}
		if f.Runs[0].Bound == f.Runs[1].Bound || f.State.Bound.Total() != f.Runs[f.Best].Bound {
			t.Errorf("bounds %g and %g of two starts, %g kept of %g", f.Runs[0].Bound, f.Runs[1].Bound, f.State.Bound.Total(), f.Runs[f.Best].Bound)
		}
		if first == nil {
			first = f
		}
		if !slices.Equal(f.Runs, first.Runs) || !slices.Equal(f.State.MuX.Data, first.State.MuX.Data) {
			t.Errorf("%d threads give another map", s.Threads)
		}
	}
}

// For points on a surface, the bound is highest in the dimension of the surface.
func TestDimensionsAreChosenByTheBound(t *testing.T) {
	tier.Full(t, "it learns many maps")
	for want := 1; want <= 3; want++ {
		x := sheet(want, 150)
		s := FitSettings{Common: models.Common{Dims: 1, Steps: 40, Seed: 2}, Options: Options{MaxDims: 4}}
		f := fitted(t, x, s)
		if len(f.Runs) != 4 || f.Runs[3].Dims != 4 || f.Settings.Dims != want || f.State.MuX.Cols != want {
			t.Errorf("data of %d dimensions: %d chosen, the map has %d, of %+v", want, f.Settings.Dims, f.State.MuX.Cols, f.Runs)
		}
		s.Dims, s.MaxDims = want, 0
		if alone := fitted(t, x, s); !slices.Equal(alone.State.MuX.Data, f.State.MuX.Data) {
			t.Errorf("the map in %d dimensions is another one where others are tried", want)
		}
	}
}

// sheet returns n points near a bent surface of the given dimension, embedded in twelve dimensions.
func sheet(dims, n int) vec.Matrix[float32] {
	const columns = 12
	rnd := rand.New(rand.NewPCG(3, uint64(dims)))
	x, slope := vec.New[float32](n, columns), vec.New[float64](2*columns, dims)
	for i := range slope.Data {
		slope.Data[i] = rnd.NormFloat64()
	}
	for i := range n {
		at := make([]float64, dims)
		for k := range at {
			at[k] = 2*rnd.Float64() - 1
		}
		for j := range columns {
			straight, bent := 0.0, 0.0
			for k, v := range at {
				straight += slope.Row(j)[k] * v
				bent += slope.Row(columns + j)[k] * v
			}
			x.Row(i)[j] = float32(straight + 0.3*math.Sin(2*bent) + 0.02*rnd.NormFloat64())
		}
	}
	return x
}

// Points that were not learnt get the positions of Extension, and learnt points keep theirs.
func TestAllPointsArePlaced(t *testing.T) {
	x := single(t, 80)
	f := fitted(t, x, FitSettings{Common: models.Common{Neighbors: 6, Steps: 30, Seed: 2}, Options: Options{Points: 50}})
	mu, sigma2, err := f.PlaceAll(t.Context(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	extent := math.Sqrt(vec.SquaredNorm(f.State.MuX.Data) / float64(f.State.MuX.Rows))
	for i := range x.Rows {
		at, learnt := slices.BinarySearch(f.Learnt, int32(i))
		if !(sigma2[i] > 0) {
			t.Errorf("point %d has the variance %g", i, sigma2[i])
		}
		if learnt {
			if !slices.Equal(mu.Row(i), f.State.MuX.Row(at)) {
				t.Errorf("learnt point %d is at %v, want %v", i, mu.Row(i), f.State.MuX.Row(at))
			}
			continue
		}
		if far := math.Sqrt(vec.SquaredNorm(mu.Row(i))); !(far < 5*extent) {
			t.Errorf("point %d is placed %g away, the map is %g wide", i, far, extent)
		}
	}
}

// Two clouds are either joined by their shortest edge, or only the larger is learnt.
func TestComponentsAreBridgedOrLeftOut(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 9))
	x := vec.New[float32](50, 3)
	for i := range x.Data {
		x.Data[i] = float32(rnd.NormFloat64())
		if i >= 35*3 {
			x.Data[i] += 40
		}
	}
	f := fitted(t, x, FitSettings{Common: models.Common{Neighbors: 5, Steps: 5}})
	if f.Components != 2 || f.Runs[0].Bridges != 1 || len(f.Learnt) != 50 {
		t.Errorf("%d components, %d bridges, %d learnt", f.Components, f.Runs[0].Bridges, len(f.Learnt))
	}
	f = fitted(t, x, FitSettings{Common: models.Common{Neighbors: 5, Steps: 5}, Options: Options{Largest: true}})
	if f.Components != 2 || f.Runs[0].Bridges != 0 || len(f.Learnt) != 35 || f.Learnt[34] != 34 {
		t.Errorf("the largest of %d components: %d bridges, learnt %v", f.Components, f.Runs[0].Bridges, f.Learnt)
	}

	y := vec.Convert[float64](x)
	lists := [][]int32{{1}, {0}, {}, {4}, {3}}
	if n := bridge(y.Slice(0, 5), lists); n != 2 {
		t.Errorf("%d bridges of three components", n)
	}
	if _, err := NewGraph(lists, 1); err != nil {
		t.Errorf("the bridged graph: %v", err)
	}
	var parts *ComponentsError
	if _, err := NewGraph([][]int32{{1}, {0}, {}}, 1); !errors.As(err, &parts) || !slices.Equal(parts.Size, []int{2, 1}) {
		t.Errorf("an isolated point: %v", err)
	}
}

func TestWhatCannotBeLearntIsSaid(t *testing.T) {
	x := single(t, 40)
	nan := x.Clone()
	nan.Row(7)[1] = float32(math.NaN())
	constant := x.Clone()
	for i := range constant.Rows {
		constant.Row(i)[2] = 5
	}
	for name, c := range map[string]struct {
		x    vec.Matrix[float32]
		s    FitSettings
		text string
	}{
		"n <= d + 1":         {x.Slice(0, 3), FitSettings{}, "3 distinct rows are too few"},
		"most dimensions":    {x, FitSettings{Common: models.Common{Dims: 1}, Options: Options{MaxDims: 4}}, "3 elements for a map of 4 dimensions"},
		"not finite":         {nan, FitSettings{}, "row 7"},
		"constant column":    {constant, FitSettings{}, "element 2"},
		"too few dimensions": {x, FitSettings{Common: models.Common{Dims: 4}}, "3 elements for a map of 4 dimensions"},
	} {
		if _, err := Fit(context.Background(), c.x, c.s, nil); !models.IsBadInput(err) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v, want bad input with %q", name, err, c.text)
		}
	}
	for name, s := range map[string]FitSettings{
		"dims": {Common: models.Common{Dims: -1}}, "neighbors": {Common: models.Common{Neighbors: -1}}, "steps": {Common: models.Common{Steps: -1}},
		"restarts": {Options: Options{Restarts: -1}}, "range": {Common: models.Common{Neighbors: 9}, Options: Options{MaxNeighbors: 4}},
		"range of dims": {Common: models.Common{Dims: 3}, Options: Options{MaxDims: 2}},
		"points":        {Options: Options{Points: 5}}, "alpha": {Options: Options{Alpha: -1}}, "epsilon": {Options: Options{Epsilon: math.Inf(1)}},
	} {
		if _, err := Fit(context.Background(), x, s, nil); err == nil || models.IsBadInput(err) {
			t.Errorf("%s: got %v, want an error of the settings", name, err)
		}
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Fit(gone, x, FitSettings{Common: models.Common{Neighbors: 5}}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Repeated rows can be learnt, unless all rows are equal.
func TestEqualPointsAreLearnt(t *testing.T) {
	x := single(t, 30)
	for i := 20; i < 30; i++ {
		copy(x.Row(i), x.Row(0))
	}
	f := fitted(t, x, FitSettings{Common: models.Common{Neighbors: 4, Steps: 10}})
	if b := f.State.Bound.Total(); math.IsNaN(b) || math.IsInf(b, 0) {
		t.Errorf("the bound is %g", b)
	}
}
