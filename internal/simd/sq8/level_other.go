//go:build !(amd64 || arm64) || noasm

package sq8

import "unfold/internal/simd"

func scores(_ simd.Level, out []int32, q *Query, data []uint8, norm []int32, n int) {
	scoresTwin(out, q.code, data, norm, n)
}

func round(_ simd.Level, code []int8, x, center []float32, reach []uint8, per float32) (widest uint32, sum int32) {
	return roundTwin(code, x, center, reach, per)
}

func runs(_ simd.Level, to []uint8, code []int8, reach []uint8) []uint8 {
	return runsTwin(to, code, reach)
}
