//go:build arm64 && !noasm

package gemm

import "unfold/internal/simd"

// add runs the kernel of the level.
func add(level simd.Level, dst []float64, stride int, a, b []float64, terms int, alpha float64) {
	_ = dst[(height-1)*stride+width-1]
	_, _ = a[terms*height-1], b[terms*width-1]
	if level != simd.NEON {
		addGeneric(dst, stride, a, b, terms, alpha)
		return
	}
	addNEON(&dst[0], stride, &a[0], &b[0], terms, alpha)
}
