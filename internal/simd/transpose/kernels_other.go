//go:build !amd64 || noasm

package transpose

import "unfold/internal/simd"

func square(_ simd.Level, dst []float64, dstStride int, src []float64, srcStride int) {
	squareGeneric(dst, dstStride, src, srcStride)
}

func squares(_ simd.Level, dst []float64, dstStride int, src []float64, srcStride, count int) {
	for k := range count {
		squareGeneric(dst[k*Side*dstStride:], dstStride, src[k*Side:], srcStride)
	}
}
