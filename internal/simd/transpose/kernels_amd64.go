//go:build amd64 && !noasm

package transpose

import "unfold/internal/simd"

func square(level simd.Level, dst []float64, dstStride int, src []float64, srcStride int) {
	switch {
	case level >= simd.AVX512:
		squaresAVX512(&dst[0], dstStride, &src[0], srcStride, 1)
	case level >= simd.AVX2:
		squareAVX2(&dst[0], dstStride, &src[0], srcStride)
	default:
		squareGeneric(dst, dstStride, src, srcStride)
	}
}

// squares is square for count >= 1 of them, side by side in src, below each other in dst.
func squares(level simd.Level, dst []float64, dstStride int, src []float64, srcStride, count int) {
	if level >= simd.AVX512 {
		squaresAVX512(&dst[0], dstStride, &src[0], srcStride, count)
		return
	}
	for k := range count {
		square(level, dst[k*Side*dstStride:], dstStride, src[k*Side:], srcStride)
	}
}
