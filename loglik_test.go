package unfold_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"unfold"
)

// Rows far from all that was learnt are less likely than rows like it, by every kind that has a
// likelihood, and a row with a missing value has one, too, where the kind takes it.
func TestLogLik(t *testing.T) {
	ctx := context.Background()
	x := mat.NewDense(60, 3, nil)
	for i := range 60 {
		u, v := math.Sin(float64(i)), math.Cos(1.7*float64(i))
		x.SetRow(i, []float64{u, v, u * v})
	}
	fresh := mat.NewDense(3, 3, []float64{0.1, 0.2, 0.02, 40, -30, 20, 0.1, 0.2, math.NaN()})
	for _, kind := range []unfold.Kind{unfold.Student, unfold.Saul, unfold.GPLVM} {
		m, err := unfold.Fit(ctx, x, unfold.Options{Kind: kind, Steps: 5})
		if err != nil {
			t.Fatal(kind, err)
		}
		got, err := m.LogLik(ctx, fresh.Slice(0, 2, 0, 3))
		if err != nil || len(got) != 2 || !(got[1] < got[0]-5) {
			t.Errorf("%s: %v, %v; the second row is far away", kind, got, err)
		}
		got, err = m.LogLik(ctx, fresh.Slice(2, 3, 0, 3))
		if kind == unfold.GPLVM {
			if err != nil || math.IsNaN(got[0]) {
				t.Errorf("a row with a missing value: %v, %v", got, err)
			}
		} else if row := new(unfold.RowError); !errors.As(err, &row) {
			t.Errorf("%s: a row with a missing value: %v, %v", kind, got, err)
		}
	}
	m, err := unfold.Fit(ctx, x, unfold.Options{Kind: unfold.LLLVM, Steps: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.LogLik(ctx, fresh); err == nil {
		t.Error("kind lllvm has a likelihood")
	}
}
