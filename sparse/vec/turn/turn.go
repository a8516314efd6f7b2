// Package turn transposes squares of eight rows of float64 in registers: what matrices
// are turned, mirrored and packed by. All levels move the same bits.
package turn

import "unfold/sparse/vec/simd"

//go:generate env GOFLAGS=-tags=noasm go run ./asm -out kernels_amd64.s -stubs stubs_amd64.go -pkg turn

// Side is the number of rows, and of columns, of a square.
const Side = 8

// Square writes the transpose of the 8 x 8 elements that begin src, rows of which are
// srcStride apart, to those that begin dst. It panics if they are not there; dst and src
// must not overlap unless they are the same.
func Square(dst []float64, dstStride int, src []float64, srcStride int) {
	_, _ = dst[(Side-1)*dstStride+Side-1], src[(Side-1)*srcStride+Side-1]
	square(simd.Best(), dst, dstStride, src, srcStride)
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
