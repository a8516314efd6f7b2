//go:build !amd64 || noasm

package exp

import "unfold/internal/simd"

func expAt(_ simd.Level, dst, x []float64) { expGeneric(dst, x) }

func gaussAt(_ simd.Level, dst, z []float64, stride int, mu, c []float64) {
	gaussGeneric(dst, z, stride, mu, c)
}
