//go:build amd64 && !noasm

package hamming

import (
	"golang.org/x/sys/cpu"

	"unfold/internal/simd"
)

// counts says that registers of 512 bits have their ones counted, which came years after
// the rest of AVX-512.
var counts = cpu.X86.HasAVX512VPOPCNTDQ

// within needs at least one query, and all that its arguments have to have.
func within(l simd.Level, mask, queries, limit []uint64, words, head int, panel []uint64) {
	switch {
	case l == simd.AVX512 && counts:
		withinAVX512(&mask[0], &queries[0], &limit[0], len(limit), words, head, &panel[0])
	case l >= simd.AVX2:
		withinAVX2(&mask[0], &queries[0], &limit[0], len(limit), words, head, &panel[0])
	default:
		withinTwin(mask, queries, limit, words, panel)
	}
}
