package knn

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// tileRows is the number of rows of a tile. gonum multiplies on the calling
// goroutine alone as long as the product has fewer than four blocks of 64 x 64.
const tileRows = 64

// tile is the workspace of one goroutine: some rows and their products with
// one panel.
type tile struct {
	rows []float32 // packed rows, count x dim
	half []float32 // their |z|^2/2 - s
	q    []float32 // tileRows x panelCols
}

func newTile(p *packed, count int) *tile {
	return &tile{
		rows: make([]float32, count*p.dim),
		half: make([]float32, count),
		q:    make([]float32, tileRows*panelCols),
	}
}

// multiply computes q_ij + s_i + s_j of rows from..to of the tile (at most
// tileRows) with the points of panel t, and returns their number. Row r of the
// products is q[(r-from)*panelCols:].
func (w *tile) multiply(p *packed, from, to, t int) (cols int) {
	first := t * panelCols
	cols = min(panelCols, p.n-first)
	half := p.half[first : first+cols]
	for r := from; r < to; r++ {
		q := w.q[(r-from)*panelCols:][:cols]
		h := w.half[r]
		for c, g := range half {
			q[c] = -(h + g)
		}
	}
	panel := p.panel(t)
	dst := blas32.General{Rows: to - from, Cols: cols, Stride: panelCols, Data: w.q}
	for k := 0; k < p.dim; k += panelDims {
		depth := min(panelDims, p.dim-k)
		a := blas32.General{Rows: to - from, Cols: depth, Stride: p.dim, Data: w.rows[from*p.dim+k : (to-1)*p.dim+k+depth]}
		b := blas32.General{Rows: depth, Cols: cols, Stride: panelCols, Data: panel[k*panelCols:]}
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, a, b, 1, dst)
	}
	return cols
}
