//go:build amd64 && !noasm

package topk

import "unfold/internal/simd"

// below needs at least one element.
func below(l simd.Level, at, s []int32, bound int32) int {
	switch l {
	case simd.AVX512:
		return belowAVX512(&at[0], &s[0], len(s)/Side, bound)
	case simd.AVX2:
		return belowAVX2(&at[0], &s[0], len(s)/Side, bound)
	}
	return belowTwin(at, s, bound)
}

// count needs at least one panel.
func count(l simd.Level, s []int32, bound int32) int {
	switch l {
	case simd.AVX512:
		return int(countAVX512(&s[0], len(s)/Side, bound))
	case simd.AVX2:
		return int(countAVX2(&s[0], len(s)/Side, bound))
	}
	return countTwin(s, bound)
}

// ranks needs at least one panel, and an element to compare with.
func ranks(l simd.Level, rank, s []int32, n int) {
	switch l {
	case simd.AVX512:
		ranksAVX512(&rank[0], &s[0], len(s)/Side, n)
	case simd.AVX2:
		ranksAVX2(&rank[0], &s[0], len(s)/Side, n)
	default:
		ranksTwin(rank, s, n)
	}
}

func mostRanks(l simd.Level) int {
	switch l {
	case simd.AVX512:
		return 192
	case simd.AVX2:
		return 128
	}
	return 0
}
