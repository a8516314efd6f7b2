package placing

import (
	"math"
	"testing"
)

// probability is F of N1 as the models have it.
func (l Length) probability(t, s, r2 float64) float64 {
	v, a := t+s, l.Tail
	tail := math.Exp(-r2 / (2 * v))
	if a > 0 {
		tail = math.Pow(1+r2/(2*a*v), -a)
	}
	return math.Pow(t/v, float64(l.Dims)/2) * tail
}

var lengths = []Length{{1, 0.5}, {2, 1}, {3, 1.5}, {10, 5}, {2, 7}, {1, 0}, {2, 0}, {10, 0}}

// The density is the derivative of the probability of being close, by central differences.
func TestLengthDensityIsADerivative(t *testing.T) {
	for _, l := range lengths {
		for _, at := range []float64{0.1, 0.7, 3, 40} {
			for _, s := range []float64{0.02, 1} {
				for _, r2 := range []float64{0, 0.5, 9} {
					h := 1e-5 * at
					want := (l.probability(at+h, s, r2) - l.probability(at-h, s, r2)) / (2 * h)
					if got := math.Exp(l.LogDensity(at, s, r2)); math.Abs(got-want) > 1e-6*want+1e-11 {
						t.Errorf("%+v at %g, s=%g, r2=%g: density %g, want %g", l, at, s, r2, got, want)
					}
				}
			}
		}
	}
}

// In the plane with a = 1 the density is q/(t+q)^2, q = s + r^2/2: in closed form.
func TestLengthDensityInThePlane(t *testing.T) {
	for _, at := range []float64{0, 0.3, 5, 1e9} {
		q := 0.04 + 2.5/2
		want := math.Log(q) - 2*math.Log(at+q)
		if got := (Length{2, 1}).LogDensity(at, 0.04, 2.5); math.Abs(got-want) > 1e-12*math.Abs(want)+1e-12 {
			t.Errorf("at %g: %.15g, want %.15g", at, got, want)
		}
	}
}

// Long edges are the less likely the longer they are, and no number makes a value that is not finite.
func TestLengthDensityFallsAndIsFinite(t *testing.T) {
	for _, l := range lengths {
		last := math.Inf(1)
		for at := 1e3; at < 1e90; at *= 3 {
			v := l.LogDensity(at, 0.1, 2)
			if !(v < last) {
				t.Fatalf("%+v: %g at %g, %g before", l, v, at, last)
			}
			last = v
		}
		for _, at := range []float64{0, math.SmallestNonzeroFloat64, 1, math.MaxFloat64, math.Inf(1)} {
			for _, s := range []float64{1e-30, 0.1, 1e30} {
				for _, r2 := range []float64{0, 1, 1e80, math.MaxFloat64} {
					if v := l.LogDensity(at, s, r2); math.IsNaN(v) || math.IsInf(v, 0) {
						t.Errorf("%+v at %g, s=%g, r2=%g: %g", l, at, s, r2, v)
					}
				}
			}
		}
	}
}
