//go:build amd64 && !noasm

package exp

import "unfold/internal/simd"

func expAt(level simd.Level, dst, x []float64) {
	switch {
	case level >= simd.AVX512 && len(x) > 0:
		expAVX512(&dst[0], &x[0], len(x))
	case level >= simd.AVX2 && len(x) > 3:
		expAVX2(&dst[0], &x[0], len(x)&^3)
		expGeneric(dst[len(x)&^3:], x[len(x)&^3:])
	default:
		expGeneric(dst, x)
	}
}

func gaussAt(level simd.Level, dst, z []float64, stride int, mu, c []float64) {
	whole := len(dst) &^ 3
	switch {
	case level >= simd.AVX512:
		gaussAVX512(&dst[0], &z[0], stride, &mu[0], &c[0], len(mu), len(dst))
	case level >= simd.AVX2 && whole > 0:
		gaussAVX2(&dst[0], &z[0], stride, &mu[0], &c[0], len(mu), whole)
		if whole < len(dst) {
			gaussGeneric(dst[whole:], z[whole:], stride, mu, c)
		}
	default:
		gaussGeneric(dst, z, stride, mu, c)
	}
}
