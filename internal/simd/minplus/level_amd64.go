//go:build amd64 && !noasm

package minplus

import "unfold/internal/simd"

// takeAt is Take with the given instruction set.
func takeAt(l simd.Level, least []float32, more float32, v []float32) {
	whole := 0
	if l >= simd.AVX2 && len(least) >= block {
		whole = len(least) / block * block
		takeAVX2(&least[0], &v[0], whole/block, more)
	}
	takeTwin(least[whole:], more, v[whole:])
}

// block is the number of elements that the assembly processes at a time.
const block = 16
