//go:build amd64 && !noasm

package gemm

import "unfold/internal/simd"

// add runs the kernel of the level.
func add(level simd.Level, dst []float64, stride int, a, b []float64, terms int, alpha float64) {
	_ = dst[(height-1)*stride+width-1]
	_, _ = a[terms*height-1], b[terms*width-1]
	switch {
	case level >= simd.AVX512:
		addAVX512(&dst[0], stride, &a[0], &b[0], terms, alpha)
	case level >= simd.AVX2:
		addAVX2(&dst[0], stride, &a[0], &b[0], terms, alpha)
	default:
		addGeneric(dst, stride, a, b, terms, alpha)
	}
}
