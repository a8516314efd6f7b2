//go:build amd64 && !noasm

package sq8

import "unfold/internal/simd"

// scores needs at least one panel, and all that its arguments have to have.
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

// scoresOfTwo does some of a positive number of pairs of panels for two queries in one run each, and returns
// how many.
func scoresOfTwo(l simd.Level, out1, out2 []int32, q1, q2 *Query, data []uint8, norm []int32, pairs int) int {
	groups := len(q1.code) / group
	switch l {
	case simd.AVX512:
		scoresOfTwoAVX512(&out1[0], &out2[0], &q1.code[0], &q2.code[0], groups, &data[0], &norm[0], pairs)
	case simd.AVX2:
		scoresOfTwoAVX2(&out1[0], &out2[0], &q1.code[0], &q2.code[0], groups, &data[0], &norm[0], pairs)
	default:
		return 0
	}
	return pairs
}
