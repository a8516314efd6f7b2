//go:build amd64 && !noasm

package exp

import "unfold/sparse/vec/simd"

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
