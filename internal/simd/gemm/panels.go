package gemm

import "unfold/internal/simd"

// Height and Width are the rows of a left panel and the columns of a right one. Callers that factor
// a matrix use them to pack each part of it once.
const (
	Height = height
	Width  = width
)

// PackLeft copies up to Height rows of a, in lines ld apart, to a left panel: element k < terms of
// row r is at k*Height + r. Missing rows are zero.
func PackLeft(panel, a []float64, ld, rows, terms int) { packLeft(panel, of(a, ld), rows, terms) }

// PackLeftColumns copies Height columns of a, which has terms rows in lines ld apart. It is
// PackLeft of the transpose of a.
func PackLeftColumns(panel, a []float64, ld, terms int) {
	packLeft(panel, view{a, 1, ld}, height, terms)
}

// PackRight copies up to Width rows of a, terms long, to a right panel, as the columns of its
// transpose: element k of row c is at k*Width + c. Missing rows are zero.
func PackRight(panel, a []float64, ld, rows, terms int) {
	packRight(panel, view{a, 1, ld}, rows, terms)
}

// AddTile adds alpha times the product of two panels with the given number of terms to the first
// Height x Width elements of dst, whose lines are stride apart.
func AddTile(dst []float64, stride int, left, right []float64, terms int, alpha float64) {
	if terms > 0 {
		add(simd.Best(), dst, stride, left[:height*terms], right[:width*terms], terms, alpha)
	}
}
