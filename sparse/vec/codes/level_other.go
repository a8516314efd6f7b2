//go:build !amd64 || noasm

package codes

import "unfold/sparse/vec/simd"

func scores(_ simd.Level, out []int32, code []int8, data []uint8, norm []int32, n int) {
	scoresTwin(out, code, data, norm, n)
}
