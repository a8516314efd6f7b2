// Package transpose transposes squares of eight rows of float64 in registers, for transposing,
// mirroring and packing matrices. All levels move the same bits.
package transpose

import "unfold/internal/simd"

//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./amd64/transpose -out ../simd/transpose/kernels_amd64.s -stubs ../simd/transpose/stubs_amd64.go -pkg transpose

// Side is the number of rows, and of columns, of a square.
const Side = 8

// Columns writes rows rows of cols elements, which start at src and are srcStride apart, as the
// first columns of cols rows, which start at dst and are dstStride apart. It panics if a slice is
// too short; dst and src must not overlap.
func Columns(dst []float64, dstStride int, src []float64, srcStride int, rows, cols int) {
	if rows <= 0 || cols <= 0 {
		return
	}
	_, _ = dst[(cols-1)*dstStride+rows-1], src[(rows-1)*srcStride+cols-1]
	columns(simd.Best(), dst, dstStride, src, srcStride, rows, cols)
}

// columns is Columns with the given instruction set.
func columns(level simd.Level, dst []float64, dstStride int, src []float64, srcStride int, rows, cols int) {
	i, whole := 0, cols/Side
	for ; i+Side <= rows; i += Side {
		if whole > 0 {
			squares(level, dst[i:], dstStride, src[i*srcStride:], srcStride, whole)
		}
		elements(dst, dstStride, src, srcStride, i, i+Side, whole*Side, cols)
	}
	elements(dst, dstStride, src, srcStride, i, rows, 0, cols)
}

// elements copies elements i0..i1 of rows j0..j1 of dst, as columns does.
func elements(dst []float64, dstStride int, src []float64, srcStride, i0, i1, j0, j1 int) {
	for j := j0; j < j1; j++ {
		for i := i0; i < i1; i++ {
			dst[j*dstStride+i] = src[i*srcStride+j]
		}
	}
}

// squareGeneric is the plain twin of the kernels.
func squareGeneric(dst []float64, dstStride int, src []float64, srcStride int) {
	var row [Side][Side]float64
	for i := range row {
		row[i] = [Side]float64(src[i*srcStride:])
	}
	for i := range Side {
		line := (*[Side]float64)(dst[i*dstStride:])
		for j := range row {
			line[j] = row[j][i]
		}
	}
}
