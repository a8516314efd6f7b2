//go:build amd64 && !noasm

package gather

import "unfold/internal/simd"

// block is the number of columns that the 256-bit kernels process at once.
const block = 16

func sum(level simd.Level, dst, x []float64, stride int, list []int32, w []float64) {
	switch {
	case level >= simd.AVX512:
		sumAVX512(&dst[0], len(dst), &x[0], stride, &list[0], &w[0], len(list))
	case level >= simd.AVX2 && len(dst) >= block:
		n := len(dst) / block * block
		sumAVX2(&dst[0], n, &x[0], stride, &list[0], &w[0], len(list))
		if n < len(dst) {
			sumGeneric(dst[n:], x[n:], stride, list, w)
		}
	default:
		sumGeneric(dst, x, stride, list, w)
	}
}

func slope(level simd.Level, dst, p []float64, own int, x []float64, stride int, list []int32, w []float64) {
	switch {
	case level >= simd.AVX512:
		slopeAVX512(&dst[0], len(dst), &p[0], own, &x[0], stride, &list[0], &w[0], len(list))
	case level >= simd.AVX2 && len(dst) >= block:
		n := len(dst) / block * block
		slopeAVX2(&dst[0], n, &p[0], own, &x[0], stride, &list[0], &w[0], len(list))
		if n < len(dst) {
			slopeGeneric(dst[n:], p[n:], own, x[n:], stride, list, w)
		}
	default:
		slopeGeneric(dst, p, own, x, stride, list, w)
	}
}
