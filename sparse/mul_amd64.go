//go:build amd64 && !noasm

package sparse

import (
	"unsafe"

	"unfold/internal/simd"
	"unfold/internal/vec"
)

// laplacianMul2 computes the product with a Laplacian for two columns, with the given instruction
// set.
func (c *CSR) laplacianMul2(level simd.Level, dst [][2]float64, diagonal []float64, x [][2]float64, from, to int) {
	if level < simd.AVX2 || from >= to {
		c.mul2(dst, diagonal, x, from, to)
		return
	}
	laplacianMul2AVX2(unsafe.SliceData(dst), unsafe.SliceData(diagonal), unsafe.SliceData(x),
		unsafe.SliceData(c.Start), unsafe.SliceData(c.Index), unsafe.SliceData(c.Data), from, to)
}

// laplacianMul4 is mulBlock4 with a diagonal, with the given instruction set.
func (c *CSR) laplacianMul4(level simd.Level, dst vec.Matrix[float64], diagonal []float64, x vec.Matrix[float64], k, from, to int) {
	if level < simd.AVX2 || from >= to {
		c.mulBlock4(dst, diagonal, x, k, from, to)
		return
	}
	laplacianMul4AVX2(&dst.Data[k], &diagonal[0], &x.Data[k], x.Cols, unsafe.SliceData(c.Start),
		unsafe.SliceData(c.Index), unsafe.SliceData(c.Data), from, to)
}
