//go:build arm64 && !noasm

package hamming

import "unfold/internal/simd"

// within needs at least one query, and all that its arguments have to have.
func within(l simd.Level, mask, queries, limit []uint64, words, _ int, panel []uint64) {
	if l != simd.NEON {
		withinTwin(mask, queries, limit, words, panel)
		return
	}
	withinNEON(&mask[0], &queries[0], &limit[0], len(limit), words, &panel[0])
}
