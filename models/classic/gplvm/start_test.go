package gplvm

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"unfold/internal/vec"
	"unfold/models/optimize"
)

// roll returns n points of a Swiss roll with mean square 1, and their positions along it.
func roll(n int, seed uint64) (y vec.Matrix[float64], along []float64) {
	rnd := rand.New(rand.NewPCG(seed, 8))
	y, along = vec.New[float64](n, 3), make([]float64, n)
	for i := range n {
		a := 1.5 * math.Pi * (1 + 2*rnd.Float64())
		copy(y.Row(i), []float64{a * math.Cos(a), a * math.Sin(a), 21 * rnd.Float64()})
		along[i] = a
	}
	unit(y)
	return y, along
}

// On the Swiss roll, starts based on neighbourhoods reach larger likelihoods than principal
// components (7.2.3). All starts have the mean 0 and the mean square 1.
func TestStarts(t *testing.T) {
	ctx := context.Background()
	y, _ := roll(300, 1)
	m := model(t, "rbf+bias+white", y)
	reached := map[string]float64{}
	for _, start := range Starts() {
		p, err := m.Begin(ctx, start, 2, 1)
		if err != nil {
			t.Fatal(err)
		}
		if square := vec.SquaredNorm(p.X.Data) / float64(len(p.X.Data)); math.Abs(square-1) > 0.01 {
			t.Errorf("%s: mean square %g", start, square)
		}
		r, err := m.LearnLBFGS(ctx, p, optimize.Settings{Steps: 60})
		if err != nil {
			t.Fatal(err)
		}
		reached[start] = -r.F
	}
	t.Logf("log-likelihoods %v", reached)
	if reached[StartIsomap] < reached[StartPCA]+100 || reached[StartGraph] < reached[StartPCA] {
		t.Errorf("log-likelihoods %v", reached)
	}
	if _, err := m.Begin(ctx, "random", 2, 1); err == nil || !strings.Contains(err.Error(), "pca, isomap, graph") {
		t.Errorf("an unknown start: %v", err)
	}
}

// Learning the kernel raises the likelihood and leaves the places as they are.
func TestLearnKernel(t *testing.T) {
	y, _ := roll(80, 2)
	m := model(t, "rbf+bias+white", y)
	p, err := m.Begin(context.Background(), StartPCA, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	x, v := p.X.Clone(), &Value{}
	if err := m.Evaluate(v, p.Theta, p.X); err != nil {
		t.Fatal(err)
	}
	r, err := m.LearnKernel(context.Background(), p, optimize.Settings{Steps: 40})
	if err != nil {
		t.Fatal(err)
	}
	if !(-r.F > v.Total()) || vec.SquaredDistance(x.Data, p.X.Data) != 0 {
		t.Errorf("from %g to %g, places moved by %g", v.Total(), -r.F, vec.SquaredDistance(x.Data, p.X.Data))
	}
}

// If rows span fewer dimensions than the map, the others start at 0. They must not be rounding
// errors scaled to the variance of a component, nor NaN.
func TestPCAOfLowRank(t *testing.T) {
	flat := vec.New[float64](6, 4) // of rank 2, exactly
	for i := range flat.Rows {
		copy(flat.Row(i), []float64{float64(i), float64(i * i), float64(2 * i), float64(-i * i)})
	}
	mixed := vec.New[float64](6, 4) // of rank 2, but for rounding
	for i := range mixed.Rows {
		for j := range mixed.Cols {
			mixed.Row(i)[j] = float64(i)*math.Sqrt(float64(j+2)) + float64(i*i)*math.Log(float64(j+2))
		}
	}
	for name, y := range map[string]vec.Matrix[float64]{"exact": flat, "rounded": mixed} {
		t.Run(name, func(t *testing.T) {
			unit(y)
			x, err := model(t, "rbf+bias+white", y).PCA(4)
			if err != nil {
				t.Fatal(err)
			}
			for c := range 4 {
				var square float64
				for i := range x.Rows {
					square += x.Row(i)[c] * x.Row(i)[c] / float64(x.Rows-1)
				}
				if want := map[bool]float64{true: 1}[c < 2]; math.Abs(square-want) > 1e-9 {
					t.Errorf("component %d has the variance %g, not %g", c, square, want)
				}
			}
		})
	}
}
