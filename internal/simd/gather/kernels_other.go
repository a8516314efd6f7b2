//go:build !(amd64 || arm64) || noasm

package gather

import "unfold/internal/simd"

func sum(_ simd.Level, dst, x []float64, stride int, list []int32, w []float64) {
	sumGeneric(dst, x, stride, list, w)
}

func slope(_ simd.Level, dst, p []float64, own int, x []float64, stride int, list []int32, w []float64) {
	slopeGeneric(dst, p, own, x, stride, list, w)
}
