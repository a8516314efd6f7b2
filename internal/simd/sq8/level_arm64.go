//go:build arm64 && !noasm

package sq8

import "unfold/internal/simd"

// scores requires at least one panel and valid arguments.
func scores(l simd.Level, out []int32, q *Query, data []uint8, norm []int32, n int) {
	if l != simd.NEON {
		scoresTwin(out, q.code, data, norm, n)
		return
	}
	scoresNEON(&out[0], &q.code[0], len(q.code)/group, &data[0], &norm[0], n)
}

func round(_ simd.Level, code []int8, x, center []float32, reach []uint8, per float32) (widest uint32, sum int32) {
	return roundTwin(code, x, center, reach, per)
}

func runs(_ simd.Level, to []uint8, code []int8, reach []uint8) []uint8 {
	return runsTwin(to, code, reach)
}
