//go:build !(amd64 || arm64) || noasm

package sq8

import "unfold/internal/simd"

func scores(_ simd.Level, out []int32, q *Query, data []uint8, norm []int32, n int) {
	scoresTwin(out, q.code, data, norm, n)
}
