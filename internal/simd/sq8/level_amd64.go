//go:build amd64 && !noasm

package sq8

import "unfold/internal/simd"

// scores requires at least one panel and valid arguments.
func scores(l simd.Level, out []int32, q *Query, data []uint8, norm []int32, n int) {
	switch l {
	case simd.AVX512:
		scoresAVX512(&out[0], &q.code[0], &q.runs[0], len(q.code)/group, &data[0], &norm[0], n)
	case simd.AVX2:
		scoresAVX2(&out[0], &q.code[0], &q.runs[0], len(q.code)/group, &data[0], &norm[0], n)
	default:
		scoresTwin(out, q.code, data, norm, n)
	}
}
