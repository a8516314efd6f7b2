//go:build amd64 && !noasm

package hamming

import (
	"golang.org/x/sys/cpu"

	"unfold/internal/simd"
)

// counts reports whether the processor counts ones in 512-bit registers, an extension years younger
// than the rest of AVX-512.
var counts = cpu.X86.HasAVX512VPOPCNTDQ

// within requires at least one query and valid arguments.
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
