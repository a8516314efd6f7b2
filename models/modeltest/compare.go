package modeltest

import (
	"fmt"
	"math"
	"testing"
)

// Error returns the largest |got_i - want_i| relative to the largest |want_i|
// (absolute if want is all zero). Different lengths and NaN give +Inf.
func Error(got, want []float64) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	var worst, scale float64
	for i, w := range want {
		d := math.Abs(got[i] - w)
		if math.IsNaN(d) {
			return math.Inf(1)
		}
		worst = max(worst, d)
		scale = max(scale, math.Abs(w))
	}
	if scale == 0 {
		return worst
	}
	return worst / scale
}

// Close reports an error on t, naming what, unless Error(got, want) <= tol.
func Close(t testing.TB, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d values, want %d", what, len(got), len(want))
		return
	}
	if e := Error(got, want); e > tol {
		t.Errorf("%s: relative error %.3g exceeds %.3g (%s)", what, e, tol, worst(got, want))
	}
}

// CloseTo is Close for one number.
func CloseTo(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	Close(t, what, []float64{got}, []float64{want}, tol)
}

func worst(got, want []float64) string {
	at, d := 0, -1.0
	for i := range got {
		if e := math.Abs(got[i] - want[i]); e > d || math.IsNaN(e) {
			at, d = i, e
		}
	}
	if d < 0 && len(got) == 0 {
		return "empty"
	}
	return fmt.Sprintf("entry %d is %.17g, want %.17g", at, got[at], want[at])
}
