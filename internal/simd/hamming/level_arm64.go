//go:build arm64 && !noasm

package hamming

import "unfold/internal/simd"

// within requires at least one query and valid arguments.
func within(l simd.Level, mask, queries, limit []uint64, words, _ int, panel []uint64) {
	if l != simd.NEON {
		withinTwin(mask, queries, limit, words, panel)
		return
	}
	withinNEON(&mask[0], &queries[0], &limit[0], len(limit), words, &panel[0])
}
