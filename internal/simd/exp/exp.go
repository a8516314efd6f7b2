package exp

import (
	"math"

	"unfold/internal/simd"
)

var level = simd.Best()

// Exp sets dst_i to e^{x_i}. dst is at least as long as x and may be x.
func Exp(dst, x []float64) { expAt(level, dst[:len(x)], x) }

// Gauss sets dst_i to
//
//	e^{-sum_q c_q (mu_q - z_qi)^2},
//
// which is a row of a kernel matrix. z has a line for each dimension, at z[0], z[stride], ..., each
// at least as long as dst.
func Gauss(dst, z []float64, stride int, mu, c []float64) {
	if len(dst) == 0 {
		return
	}
	if len(mu) == 0 {
		for i := range dst {
			dst[i] = 1
		}
		return
	}
	gaussAt(level, dst, z[:(len(mu)-1)*stride+len(dst)], stride, mu, c[:len(mu)])
}

const (
	// beyond is an argument for which e^x is infinite and e^-x zero, and both halves of the power
	// of two are still in range.
	beyond = 1000
	shift  = 0x1.8p52 // adding it rounds to a whole number, which is in the low bits
	ln2Hi  = 0x1.62e42feep-1
	ln2Lo  = 0x1.a39ef35793c76p-33
)

// series is 1/2!, 1/3!, ..., 1/13!.
var series = [12]float64{
	1. / 2, 1. / 6, 1. / 24, 1. / 120, 1. / 720, 1. / 5040, 1. / 40320, 1. / 362880, 1. / 3628800,
	1. / 39916800, 1. / 479001600, 1. / 6227020800,
}

// expGeneric is the plain twin of the kernels.
func expGeneric(dst, x []float64) {
	for i, v := range x {
		dst[i] = exp(v)
	}
}

// gaussGeneric is the plain twin of the kernels of Gauss.
func gaussGeneric(dst, z []float64, stride int, mu, c []float64) {
	for i := range dst {
		sum := 0.0
		for q, m := range mu {
			d := m - z[q*stride+i]
			sum = math.FMA(-(c[q] * d), d, sum)
		}
		dst[i] = exp(sum)
	}
}

func exp(x float64) float64 {
	if x > beyond {
		x = beyond
	} else if x < -beyond {
		x = -beyond
	}
	z := math.FMA(x, 1/math.Ln2, shift)
	k := z - shift
	r := math.FMA(-ln2Lo, k, math.FMA(-ln2Hi, k, x))
	r2 := r * r
	even, odd := series[10], series[11]
	for n := 8; n >= 0; n -= 2 {
		even, odd = math.FMA(even, r2, series[n]), math.FMA(odd, r2, series[n+1])
	}
	y := 1 + math.FMA(r2, math.FMA(r, odd, even), r)
	// 2^k may overflow where the result does not, so the two halves of the power are multiplied one
	// after the other, exactly.
	half := math.FMA(k, 0.5, shift)
	first := math.Float64bits(half)
	second := math.Float64bits(z) - first
	return y * power(first) * power(second)
}

// power returns 2^k, k in the low bits.
func power(k uint64) float64 { return math.Float64frombits(k<<52 + 1023<<52) }
