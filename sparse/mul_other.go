//go:build !amd64 || noasm

package sparse

import (
	"unfold/internal/simd"
	"unfold/internal/vec"
)

func (c *CSR) laplacianMul2(_ simd.Level, dst [][2]float64, diagonal []float64, x [][2]float64, from, to int) {
	c.mul2(dst, diagonal, x, from, to)
}

func (c *CSR) laplacianMul4(_ simd.Level, dst vec.Matrix[float64], diagonal []float64, x vec.Matrix[float64], k, from, to int) {
	c.mulBlock4(dst, diagonal, x, k, from, to)
}
