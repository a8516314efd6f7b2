package pairwise

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
)

// exponents returns numbers from the whole range, many small, and many where the power of two
// changes.
func exponents() []float64 {
	r := rand.New(rand.NewPCG(1, 1))
	points := []float64{0, 1e-20, math.Ln2 / 256, math.Ln2 / 2, math.Ln2, 1, expMax - 0.001, expMax}
	for k := range 4_000 {
		near := math.Ln2 * (float64(k%800) + 0.5)
		points = append(points, 2*r.Float64(), 40*r.Float64(), math.Exp(-40*r.Float64()), expMax*r.Float64(),
			near*(1+1e-6*r.NormFloat64()))
	}
	return points
}

// The exponential of the plain version has an error of at most one unit in the last place, and its
// complement of one to two.
func TestExpNeg(t *testing.T) {
	var worst [2]float64
	for _, e := range exponents() {
		exp, rest := expNeg(e, &expTable)
		compareExp(t, e, exp, rest, &worst)
	}
	boundExp(t, worst)
	if exp, rest := expNeg(1e300, &expTable); math.Abs(exp/math.Exp(-expMax)-1) > 1e-15 || rest != 1 {
		t.Errorf("far out: %v, %v", exp, rest)
	}
}

// The kernels have the same errors with every instruction set, except that they round e / ln 2,
// which costs exp(-e) another e units in the last place. A pair without variances has r = 1, so
// that P(c=1) = exp(-e). With Delta_uv = 1 and Delta_vu = 2^-40, e is half the squared distance,
// and P(c=1) of the other direction is about 1e-261, negligible for e between 2^-70 and 550.
func TestExpOfKernels(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		var worst [2]float64
		points := Points{A: make([]float64, 5), B: make([]float64, 5), S: make([]float64, 5), W: make([]float64, 5), Mu: [][]float64{make([]float64, 5), make([]float64, 5)}}
		points.A[0], points.B[0] = 1, 0x1p-40
		g := new(Gauss)
		all := exponents()
		for k := 0; k+4 <= len(all); k += 4 {
			for i, e := range all[k : k+4] {
				points.Mu[0][1+i] = math.Sqrt(2 * e)
			}
			g.Reset(points, 0)
			g.othersAt(l, 0, 1, 4)
			for i := range 4 {
				x := points.Mu[0][1+i]
				if e := x * x / 2; e > 0x1p-70 && e < 550 {
					var of [2]float64
					compareExp(t, e, g.rest[i], g.term[i], &of)
					if l != simd.Generic {
						of[0] /= 1 + e
					}
					worst[0], worst[1] = max(worst[0], of[0]), max(worst[1], of[1])
				}
			}
		}
		boundExp(t, worst)
	})
}

// compareExp records the relative errors of exp(-e) and 1 - exp(-e).
func compareExp(t *testing.T, e, exp, rest float64, worst *[2]float64) {
	if e == 0 {
		if rest != 0 || exp != 1 {
			t.Errorf("at 0: %v, %v", exp, rest)
		}
		return
	}
	want := simdtest.Exp(-e)
	worst[0] = max(worst[0], relative(exp, want))
	worst[1] = max(worst[1], relative(rest, new(big.Float).SetPrec(300).Sub(big.NewFloat(1), want)))
}

func boundExp(t *testing.T, worst [2]float64) {
	t.Helper()
	t.Logf("largest relative errors: exp %.3g, 1-exp %.3g", worst[0], worst[1])
	if worst[0] > 0x1p-52 || worst[1] > 0x1p-51 {
		t.Errorf("relative errors %.3g and %.3g", worst[0], worst[1])
	}
}

func relative(got float64, want *big.Float) float64 {
	d := new(big.Float).SetPrec(300).Sub(new(big.Float).SetFloat64(got), want)
	f, _ := d.Quo(d, want).Float64()
	return math.Abs(f)
}
