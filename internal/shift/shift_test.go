package shift

import "testing"

// Only columns far from 0 are shifted, by a number near the mean with few digits.
func TestOf(t *testing.T) {
	for _, c := range []struct{ mean, deviation, weight, want float64 }{
		{4_649_776.3, 100, 1, 4_649_776},
		{-4_649_776.3, 100, 2, -9_299_552},
		{6000, 100, 1, 0},
		{5, 0, 1, 0},
		{0, 1, 1, 0},
	} {
		if got := Of(c.mean, c.deviation, c.weight); got != c.want {
			t.Errorf("mean %v, deviation %v, weight %v: %v, want %v", c.mean, c.deviation, c.weight, got, c.want)
		}
	}
}
