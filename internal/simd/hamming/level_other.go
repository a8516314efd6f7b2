//go:build !(amd64 || arm64) || noasm

package hamming

import "unfold/internal/simd"

func within(_ simd.Level, mask, queries, limit []uint64, words, _ int, panel []uint64) {
	withinTwin(mask, queries, limit, words, panel)
}
