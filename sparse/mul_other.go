//go:build !amd64 || noasm

package sparse

import "unfold/sparse/vec/simd"

func (c *CSR) laplacianMul2(_ simd.Level, dst [][2]float64, diagonal []float64, x [][2]float64, from, to int) {
	c.mul2(dst, diagonal, x, from, to)
}
