//go:build !(amd64 || arm64) || noasm

package sq8

import "unfold/internal/simd"

func scores(_ simd.Level, out []int32, code []int8, data []uint8, norm []int32, n int) {
	scoresTwin(out, code, data, norm, n)
}
