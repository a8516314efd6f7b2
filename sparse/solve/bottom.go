package solve

import (
	"math"

	"unfold/sparse/vec"
)

// bottom solves the coarsest level: by a factorisation L D L' of the dense matrix
// or, if it could not be made small, by one smoothing step.
type bottom struct {
	n int
	l []float64 // unit lower triangle, n x n; its diagonal holds 1/D

	null  *nullSpace // nil if the level is regular
	size  []float64  // of every group, in points
	total []float64  // of every component of the null space
}

// pivot is the least pivot, relative to the diagonal, that is not rounding. Smaller
// ones belong to components without Gamma; their unknown is set to zero.
const pivot = 1e-13

// newBottom factorises the last level.
func newBottom(l *level) *bottom {
	b := &bottom{}
	if n := l.a.W.N; n <= 2*coarsest {
		b.n, b.l = n, make([]float64, n*n)
	}
	b.factorise(l)
	b.size = l.size
	if b.null = newNullSpace(l.a, l.b.Cols); b.null != nil {
		b.total = make([]float64, len(b.null.size))
		for i, c := range b.null.component {
			if c >= 0 {
				b.total[c] += b.size[i]
			}
		}
	}
	return b
}

func (b *bottom) bytes() int64 { return 8 * int64(len(b.l)) }

func (b *bottom) row(i int) []float64 { return b.l[i*b.n : (i+1)*b.n] }

func (b *bottom) factorise(l *level) {
	if b.n == 0 {
		return
	}
	clear(b.l)
	for i := range b.n {
		row := b.row(i)
		index, w := l.a.W.Row(i)
		for p, j := range index {
			row[j] = -w[p]
		}
		row[i] = l.a.Diagonal[i]
	}
	for i := range b.n {
		row := b.row(i)
		diagonal := row[i]
		for j := range i {
			other := b.row(j)
			// row[j] is L_ij D_j once the columns before are taken out.
			for k := range j {
				row[j] -= row[k] * other[k]
			}
		}
		d := diagonal
		for j := range i {
			v := row[j] * b.row(j)[j]
			d -= v * row[j]
			row[j] = v
		}
		row[i] = 0
		if d > pivot*math.Abs(diagonal) {
			row[i] = 1 / d
		}
		clear(row[i+1:])
	}
}

// solve sets y of level l.
func (b *bottom) solve(l *level) {
	if b.n == 0 {
		l.scale(l.y, l.b, 0, l.a.W.N)
		return
	}
	y, d := l.y, l.y.Cols
	copy(y.Data, l.b.Data)
	b.project(y, true)
	for i := range b.n {
		u := y.Row(i)
		for j, v := range b.row(i)[:i] {
			for k, x := range y.Data[j*d : (j+1)*d] {
				u[k] -= v * x
			}
		}
	}
	for i := range b.n {
		inv := b.row(i)[i]
		for k := range d {
			y.Data[i*d+k] *= inv
		}
	}
	for i := b.n - 1; i >= 0; i-- {
		u := y.Row(i)
		for j, v := range b.row(i)[:i] {
			for k, x := range u {
				y.Data[j*d+k] -= v * x
			}
		}
	}
	b.project(y, false)
}

// project takes out of right-hand sides what no solution can meet, and out of
// solutions their mean over the points of a component without Gamma: the point
// whose unknown is set to zero may be far from all others. The one is the
// transpose of the other, so that all stays symmetric.
func (b *bottom) project(y vec.Matrix[float64], rhs bool) {
	if b.null == nil {
		return
	}
	for k := range y.Cols {
		mean := b.null.mean[:len(b.total)]
		clear(mean)
		for i, c := range b.null.component {
			switch {
			case c < 0:
			case rhs:
				mean[c] += y.Row(i)[k] / b.total[c]
			default:
				mean[c] += y.Row(i)[k] * b.size[i] / b.total[c]
			}
		}
		for i, c := range b.null.component {
			switch {
			case c < 0:
			case rhs:
				y.Row(i)[k] -= mean[c] * b.size[i]
			default:
				y.Row(i)[k] -= mean[c]
			}
		}
	}
}
