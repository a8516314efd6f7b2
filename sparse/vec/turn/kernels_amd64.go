//go:build amd64 && !noasm

package turn

import "unfold/sparse/vec/simd"

func square(level simd.Level, dst []float64, dstStride int, src []float64, srcStride int) {
	switch {
	case level >= simd.AVX512:
		squareAVX512(&dst[0], dstStride, &src[0], srcStride)
	case level >= simd.AVX2 && &dst[0] != &src[0]:
		squareAVX2(&dst[0], dstStride, &src[0], srcStride)
	default:
		squareGeneric(dst, dstStride, src, srcStride)
	}
}
