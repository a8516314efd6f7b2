package baseline

import (
	"unfold/internal/par"
	"unfold/internal/simd/exp"
	"unfold/internal/simd/gemm"
	"unfold/internal/vec"
)

// likeness computes similarities of vectors to all learnt ones (m x q). Dissimilarities are -2
// times the similarities. For classical scaling these omit |y_i|^2 + |y_j|^2, on which (1) and (2)
// do not depend. The similarities are
//
//	mds    y_i'y_j
//	kpca   exp(-|y_i - y_j|^2/(q w^2)) = exp(2 y_i'y_j/(q w^2) - |y_i|^2/(q w^2) - |y_j|^2/(q w^2))
type likeness struct {
	y vec.Matrix[float64]
	// panels has y in the layout of the right operand of gemm.AddTile.
	panels []float64
	// precision is 1/(q w^2), and 0 for mds; norms (m) are |y_j|^2/(q w^2).
	precision float64
	norms     []float64
}

// similarity is the factor from similarities to dissimilarities.
const similarity = -2

func newLikeness(y vec.Matrix[float64], precision float64) *likeness {
	l := &likeness{y: y, precision: precision, panels: make([]float64, par.Pieces(y.Rows, gemm.Width)*gemm.Width*y.Cols)}
	for j := 0; j < y.Rows; j += gemm.Width {
		gemm.PackRight(l.panels[j*y.Cols:], y.Data[j*y.Cols:], y.Cols, min(gemm.Width, y.Rows-j), y.Cols)
	}
	if precision == 0 {
		return l
	}
	l.norms = make([]float64, y.Rows)
	for j := range l.norms {
		l.norms[j] = precision * vec.SquaredNorm(y.Row(j))
	}
	return l
}

// likenessGroup is a workspace for the similarities of some vectors.
type likenessGroup struct {
	of   vec.Matrix[float64] // rows and columns in whole tiles
	left []float64
}

// room makes g that of some vectors.
func (l *likeness) room(g *likenessGroup, vectors int) {
	if rows := par.Pieces(vectors, gemm.Height) * gemm.Height; g.of.Rows < rows {
		g.of = vec.New[float64](rows, par.Pieces(l.y.Rows, gemm.Width)*gemm.Width)
		g.left = make([]float64, gemm.Height*l.y.Cols)
	}
}

// take sets the first rows of g.of to the similarities of the rows of z. The result for a vector
// has the same bits whatever the other vectors are.
func (l *likeness) take(g *likenessGroup, z vec.Matrix[float64]) {
	l.room(g, z.Rows)
	m, q, alpha := l.y.Rows, l.y.Cols, 1.0
	if l.norms == nil {
		clear(g.of.Data)
	} else {
		alpha = 2 * l.precision
		for i := range z.Rows {
			row, own := g.of.Row(i), l.precision*vec.SquaredNorm(z.Row(i))
			for j, norm := range l.norms {
				row[j] = -own - norm
			}
		}
	}
	for i := 0; i < z.Rows; i += gemm.Height {
		gemm.PackLeft(g.left, z.Data[i*q:], q, min(gemm.Height, z.Rows-i), q)
		for j := 0; j < m; j += gemm.Width {
			gemm.AddTile(g.of.Data[i*g.of.Cols+j:], g.of.Cols, g.left, l.panels[j*q:], q, alpha)
		}
	}
	if l.norms != nil {
		for i := range z.Rows {
			exp.Exp(g.of.Row(i)[:m], g.of.Row(i)[:m])
		}
	}
}

// squares returns the dissimilarities of all learnt vectors, m x m.
func (l *likeness) squares(threads int) vec.Matrix[float64] {
	m := l.y.Rows
	a := vec.New[float64](m, m)
	par.Ranges(threads, m, 4*gemm.Height, func(_, from, to int) {
		var g likenessGroup
		l.take(&g, l.y.Slice(from, to))
		for i := from; i < to; i++ {
			for j, v := range g.of.Row(i - from)[:m] {
				a.Row(i)[j] = similarity * v
			}
		}
	})
	return a
}
