package gplvm

import (
	"math"
	"testing"
)

// A vector with more values than active points has the same likelihood and gradient by precomputed
// sums as output by output.
func TestPlaceOfManyOutputs(t *testing.T) {
	m := model(t, "rbf+bias+white", random(20, 50, 1))
	x := random(20, 2, 2)
	a, err := m.Predictor([]float64{1, 1, 0.3, 0.01}, x, Gaussian{1e-6})
	if err != nil {
		t.Fatal(err)
	}
	if !a.wide() {
		t.Fatal("50 outputs of 20 points are not taken together")
	}
	w, y, at := a.NewScratch(), random(1, 50, 3).Row(0), []float64{0.3, -0.7}
	got, want := make([]float64, 2), make([]float64, 2)
	f, g := a.logZ(got, a.sums(y), at, w), a.LogZ(want, y, at, w)
	if math.Abs(f-g) > 1e-10*math.Abs(g) {
		t.Errorf("ln Z is %.15g, want %.15g", f, g)
	}
	for c := range got {
		if math.Abs(got[c]-want[c]) > 1e-9*math.Abs(want[c]) {
			t.Errorf("derivatives are %v, want %v", got, want)
		}
	}
}
