package gplvm

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/kernel"
	"unfold/models/optimize"
	"unfold/sparse/knn"
)

// sheet returns n points of a bent sheet in 5 dimensions.
func sheet(n int, seed uint64) vec.Matrix[float32] {
	rnd := rand.New(rand.NewPCG(seed, 1))
	x := vec.New[float32](n, 5)
	for i := range n {
		u, v := 2*rnd.Float64()-1, 2*rnd.Float64()-1
		for c, y := range []float64{u, v, u * u, math.Sin(2 * v), u * v} {
			x.Row(i)[c] = float32(y + 0.02*rnd.NormFloat64())
		}
	}
	return x
}

// Points restored without the state of their training return near their places. With the smooth map
// they do too, but less closely. Restarts do not lower the likelihood.
func TestPlacing(t *testing.T) {
	ctx := context.Background()
	x := sheet(150, 3)
	set := FitSettings{Common: models.Common{Steps: 60}, Options: Options{Restarts: 2, Smooth: true}}
	f, err := Fit(ctx, x, set, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range f.Runs {
		if r.LogLik > f.Runs[f.Best].LogLik || !(r.LogLik > r.Initial) {
			t.Errorf("runs %+v, the best is %d", f.Runs, f.Best)
		}
	}
	if !(f.Back.Residual > 0) || f.Back.Residual > 0.3 {
		t.Errorf("the smooth map errs by %g", f.Back.Residual)
	}
	back := f.Back
	f.Back = nil
	p, err := newPlacer(f)
	if err != nil {
		t.Fatal(err)
	}
	fresh := sheet(60, 4)
	near, err := knn.NewExact(x).Search(ctx, fresh, placeStarts, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	w, s := p.invite(), back.NewScratch()
	mean, variance, at := make([]float64, 5), make([]float64, 5), make([]float64, 2)
	var errs [2]float64 // of decoded vectors: places by optimisation, by the smooth map
	for i := range fresh.Rows {
		list, _ := near.Row(i)
		_, sigma2, err := w.Place(ctx, fresh.Row(i), list)
		if err != nil || !(sigma2 > 0) || sigma2 > 1 {
			t.Fatalf("variance %g, %v", sigma2, err)
		}
		back.Place(at, w.y, s)
		for k, place := range [][]float64{w.x, at} {
			p.active.Predict(mean, variance, place, w.likelihood)
			errs[k] += vec.SquaredDistance(mean, w.y) / float64(5*fresh.Rows)
		}
	}
	t.Logf("mean squared errors of an element: %.3g by optimisation, %.3g by the smooth map", errs[0], errs[1])
	if errs[0] > 0.02 || errs[1] > 0.1 || errs[0] > 2*errs[1] {
		t.Errorf("mean squared errors of an element: %g by optimisation, %g by the smooth map", errs[0], errs[1])
	}
}

// The error names invalid data.
func TestBadInput(t *testing.T) {
	constant := sheet(20, 1)
	for i := range 20 {
		constant.Row(i)[2] = 7
	}
	infinite, nothing, lacking, nan := sheet(20, 1), sheet(20, 1), sheet(20, 1), float32(math.NaN())
	infinite.Row(4)[1] = float32(math.Inf(1))
	copy(nothing.Row(4), []float32{nan, nan, nan, nan, nan})
	for i := range 20 {
		lacking.Row(i)[3] = nan
	}
	for name, c := range map[string]struct {
		x    vec.Matrix[float32]
		set  FitSettings
		want string
		bad  bool
	}{
		"constant":   {constant, FitSettings{}, "column 2", true},
		"infinite":   {infinite, FitSettings{}, "row 4", true},
		"nothing":    {nothing, FitSettings{}, "row 4: all values are missing", true},
		"lacking":    {lacking, FitSettings{}, "column 3: no value is observed", true},
		"start":      {sheet(20, 1), FitSettings{Options: Options{Start: "random"}}, "pca, isomap, graph", false},
		"optimizer":  {sheet(20, 1), FitSettings{Options: Options{Optimizer: "adam"}}, "scg and lbfgs", false},
		"active":     {sheet(20, 1), FitSettings{Options: Options{Active: 2}}, "at least 4", false},
		"both":       {sheet(20, 1), FitSettings{Options: Options{Active: 9, Optimizer: optimizerLBFGS}}, "scg alone", false},
		"few":        {sheet(3, 1), FitSettings{}, "at least 4", true},
		"dimensions": {sheet(20, 1), FitSettings{Common: models.Common{Dims: 6}}, "5 elements", true},
		"steps":      {sheet(20, 1), FitSettings{Common: models.Common{Steps: -1}}, "-1 steps", false},
		"kernel":     {sheet(20, 1), FitSettings{Options: Options{Kernel: "poly"}}, "rbf+bias+white", false},
		"points":     {sheet(20, 1), FitSettings{Options: Options{Points: 2}}, "2 points", false},
	} {
		_, err := Fit(context.Background(), c.x, c.set, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, models.ErrBadInput) != c.bad {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// For a matrix with missing values, the error names rows and columns without any value.
func TestNothingObserved(t *testing.T) {
	nan := math.NaN()
	for want, y := range map[string][]float64{
		"row 1: all values are missing":      {1, 2, nan, nan, 3, 5},
		"column 1: no value is observed":     {1, nan, 2, nan, 3, nan},
		"column 0: all values are 4":         {4, 1, nan, 2, 4, 3},
		"row 2, column 1: the value is +Inf": {1, 2, 3, 4, 5, math.Inf(1)},
	} {
		if _, err := New(nil, vec.Of(3, 2, y), 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// With equal points and no noise K is singular. The diagonal is raised, and the amount is reported.
func TestJitterIsReported(t *testing.T) {
	y := vec.Of(4, 2, []float64{1, 2, 1, 2, 3, 1, 3, 1.5})
	k, err := kernel.Parse("rbf")
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(k, y, 1)
	if err != nil {
		t.Fatal(err)
	}
	v := &Value{}
	if err := m.Evaluate(v, k.Start(), vec.Of(4, 1, []float64{1, 1, 2, 2})); err != nil || !(v.Jitter > 0) {
		t.Errorf("jitter %g, %v", v.Jitter, err)
	}
}

// Both optimisers reach about the same likelihood from the same start.
func TestLBFGS(t *testing.T) {
	k, err := kernel.Parse("rbf+bias+white")
	if err != nil {
		t.Fatal(err)
	}
	x := sheet(80, 5)
	m, err := New(k, newUnits(x).All(x), 2)
	if err != nil {
		t.Fatal(err)
	}
	start, err := m.PCA(2)
	if err != nil {
		t.Fatal(err)
	}
	v := &Value{}
	if err := m.Evaluate(v, k.Start(), start); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	a, err := m.Learn(ctx, &Point{k.Start(), start.Clone()}, optimize.Settings{Steps: 300})
	if err != nil {
		t.Fatal(err)
	}
	p := &Point{k.Start(), start.Clone()}
	b, err := m.LearnLBFGS(ctx, p, optimize.Settings{Steps: 300})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("from %.1f: conjugate gradients %.1f with %d gradients, L-BFGS %.1f with %d", v.Total(), -a.F, a.Gradients, -b.F, b.Gradients)
	if gain := -a.F - v.Total(); !(-b.F-v.Total() > 0.8*gain) {
		t.Errorf("from %g: conjugate gradients %g, L-BFGS %g", v.Total(), -a.F, -b.F)
	}
	if err := m.Evaluate(v, p.Theta, p.X); err != nil || math.Abs(v.Total()+b.F) > 1e-6*math.Abs(b.F) {
		t.Errorf("the point it leaves has %g, not %g: %v", v.Total(), -b.F, err)
	}
}
