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
