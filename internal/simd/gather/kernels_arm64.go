//go:build arm64 && !noasm

package gather

import "unfold/internal/simd"

// block is the number of columns that the kernels process at once.
const block = 16

func sum(level simd.Level, dst, x []float64, stride int, list []int32, w []float64) {
	n := 0
	if level == simd.NEON && len(dst) >= block {
		n = len(dst) / block * block
		sumNEON(&dst[0], n, &x[0], stride, &list[0], &w[0], len(list))
	}
	if n < len(dst) {
		sumGeneric(dst[n:], x[n:], stride, list, w)
	}
}

func slope(level simd.Level, dst, p []float64, own int, x []float64, stride int, list []int32, w []float64) {
	n := 0
	if level == simd.NEON && len(dst) >= block {
		n = len(dst) / block * block
		slopeNEON(&dst[0], n, &p[0], own, &x[0], stride, &list[0], &w[0], len(list))
	}
	if n < len(dst) {
		slopeGeneric(dst[n:], p[n:], own, x[n:], stride, list, w)
	}
}
