package gemm

import "unfold/internal/simd"

// Height and Width are the rows of a left panel and the columns of a right one, for
// those who keep panels themselves: what factors a matrix packs each part of it once.
const (
	Height = height
	Width  = width
)

// PackLeft copies rows (at most Height) of a, in lines ld apart, to a left panel: element
// k < terms of row r is at k*Height + r, and missing rows are zero.
func PackLeft(panel, a []float64, ld, rows, terms int) { packLeft(panel, of(a, ld), rows, terms) }

// PackLeftColumns copies Height columns of a, which has terms rows in lines ld apart: what
// PackLeft does with the transpose of a.
func PackLeftColumns(panel, a []float64, ld, terms int) {
	packLeft(panel, view{a, 1, ld}, height, terms)
}

// PackRight copies rows (at most Width) of a, terms long, to a right panel, as the columns
// of its transpose: element k of row c is at k*Width + c, and missing rows are zero.
func PackRight(panel, a []float64, ld, rows, terms int) {
	packRight(panel, view{a, 1, ld}, rows, terms)
}

// AddTile adds alpha times the product of two panels, of so many terms, to the Height x
// Width elements that begin dst, lines of which are stride apart.
func AddTile(dst []float64, stride int, left, right []float64, terms int, alpha float64) {
	if terms > 0 {
		add(simd.Best(), dst, stride, left[:height*terms], right[:width*terms], terms, alpha)
	}
}
