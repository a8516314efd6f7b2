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
