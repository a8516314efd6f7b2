//go:build !amd64 || noasm

package exp

import "unfold/sparse/vec/simd"

func expAt(_ simd.Level, dst, x []float64) { expGeneric(dst, x) }
