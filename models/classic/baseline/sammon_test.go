package baseline

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
)

// The derivative of the stress agrees with finite differences.
func TestStressHasItsDerivative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, d := rapid.IntRange(1, 6).Draw(t, "points"), rapid.IntRange(1, 4).Draw(t, "dimensions")
		value := rapid.Float64Range(-3, 3)
		at, x, delta, g := vec.New[float64](m, d), make([]float64, d), make([]float64, m), make([]float64, d)
		for k := range at.Data {
			at.Data[k] = value.Draw(t, "place")
		}
		for j := range delta {
			delta[j] = rapid.Float64Range(0.1, 5).Draw(t, "distance")
		}
		for c := range x {
			x[c] = 7 + value.Draw(t, "x") // away from all points, where it has a derivative
		}
		but, even := rapid.IntRange(-1, m-1).Draw(t, "but"), rapid.Bool().Draw(t, "even")
		stress(g, x, delta, at, but, even)
		const h = 1e-5
		other := make([]float64, d)
		for c, want := range g {
			v := x[c]
			x[c] = v + h
			up := stress(other, x, delta, at, but, even)
			x[c] = v - h
			down := stress(other, x, delta, at, but, even)
			x[c] = v
			if got := (up - down) / (2 * h); math.Abs(got-want) > 1e-4*(1+math.Abs(want)) {
				t.Fatalf("derivative %d is %g, differences say %g", c, want, got)
			}
		}
	})
}

// At the positions of learnt and of new vectors the stress is stationary, and lower than at
// principal components.
func TestStressIsLeast(t *testing.T) {
	x, more := modeltest.Events(6, 150, 6), modeltest.Events(7, 20, 6)
	set := Settings{Common: models.Common{Dims: 3}}
	f, err := Fit(t.Context(), Sammon, x, set)
	if err != nil {
		t.Fatal(err)
	}
	if !f.Converged || f.Iterations == 0 {
		t.Errorf("converged is %v after %d iterations", f.Converged, f.Iterations)
	}
	m := f.model.(*scaled)
	delta, g := make([]float64, x.Rows), make([]float64, 3)
	total := func(places vec.Matrix[float64]) (sum, steepest float64) {
		for i := range x.Rows {
			lengths(delta, m.y.Row(i), m.columns)
			sum += stress(g, places.Row(i), delta, places, i, false)
			steepest = max(steepest, math.Sqrt(vec.SquaredNorm(g)))
		}
		return sum, steepest
	}
	linear, err := components(t.Context(), x, f.Settings)
	if err != nil {
		t.Fatal(err)
	}
	before, _, err := direct{formula: linear}.PlaceAll(t.Context(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	vec.Scale(m.units.Scale, before.Data)
	was, _ := total(before)
	is, steepest := total(m.vectors)
	if !(is < 0.9*was) || !(steepest < 1e-5) {
		t.Errorf("the stress is %g with derivatives up to %g, that of principal components %g", is, steepest, was)
	}
	y := make([]float64, x.Cols)
	places := others(t, f, more)
	vec.Scale(1/m.unit, places.Data)
	for i := range more.Rows {
		m.units.Apply(y, more.Row(i))
		lengths(delta, y, m.columns)
		stress(g, places.Row(i), delta, m.vectors, -1, false)
		if steep := math.Sqrt(vec.SquaredNorm(g)); !(steep < 1e-5) {
			t.Errorf("new vector %d: a derivative of %g", i, steep)
		}
	}
}
