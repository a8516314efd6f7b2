package normal

import (
	"math"
	"testing"
)

// The two formulas agree where they meet, and the ratio is the derivative of the logarithm.
func TestLogCDF(t *testing.T) {
	above, _ := LogCDF(math.Nextafter(-30, 0))
	below, _ := LogCDF(-30)
	if math.Abs(above-below) > 1e-9*math.Abs(below) {
		t.Errorf("ln Phi(-30) is %.15g and %.15g", above, below)
	}
	for _, z := range []float64{-1e8, -100, -31, -29, -3, 0, 2, 8} {
		h := 1e-5 * math.Max(1, math.Abs(z))
		up, _ := LogCDF(z + h)
		down, _ := LogCDF(z - h)
		log, ratio := LogCDF(z)
		if want := (up - down) / (2 * h); math.Abs(ratio-want) > 1e-6*math.Abs(want)+1e-9 || log > 0 {
			t.Errorf("at %g: ln Phi %g, ratio %g, want %g", z, log, ratio, want)
		}
	}
	if log, ratio := LogCDF(0); log != math.Log(0.5) || math.Abs(ratio-2/math.Sqrt(2*math.Pi)) > 1e-15 {
		t.Errorf("at 0: %g, %g", log, ratio)
	}
}
