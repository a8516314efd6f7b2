//go:build !(amd64 || arm64) || noasm

package gemm

import "unfold/internal/simd"

func add(_ simd.Level, dst []float64, stride int, a, b []float64, terms int, alpha float64) {
	addGeneric(dst, stride, a, b, terms, alpha)
}
