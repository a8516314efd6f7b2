package gemm

import (
	"sync"

	"gonum.org/v1/gonum/blas"

	"unfold/internal/par"
)

// base is the side of the diagonal triangles that are inverted, a tile's width. Triangles smaller
// than least are left to gonum. For the threads, a right side is divided into pieces of solveCols
// columns or solveLines rows.
const (
	base       = width
	least      = 8
	solveCols  = 8 * width
	solveLines = tall
)

// Dtrsm solves op(A) X = alpha B, or X op(A) = alpha B for s == gemm.Right, for a
// triangular A, and writes X of m x n over B; see gonum.
func (g Implementation) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	order := n
	if s == blas.Left {
		order = m
	}
	if order < least || m*n*order < little || alpha == 0 || s != blas.Left && s != blas.Right ||
		ul != blas.Upper && ul != blas.Lower || !isTranspose(tA) || d != blas.Unit && d != blas.NonUnit ||
		!of(a, lda).holds(order, order, lda) || !of(b, ldb).holds(m, n, ldb) {
		g.Implementation.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	for i := range m {
		scale(alpha, b[i*ldb:][:n])
	}
	threads := par.Threads(g.Threads)
	if m*n*order < manyTasks {
		threads = 1
	}
	g.Threads = 1
	room := inverses.Get().(*[]float64)
	defer inverses.Put(room)
	t := triangle{g: g, side: s, a: of(a, lda).transposed(tA), lower: (ul == blas.Lower) == (tA == blas.NoTrans), ldb: ldb}
	t.invert(room, order, d == blas.Unit)
	if s == blas.Left {
		par.Ranges(threads, n, solveCols, func(_, from, to int) { t.solve(0, order, b[from:], to-from) })
		return
	}
	par.Ranges(threads, m, solveLines, func(_, from, to int) { t.solve(0, order, b[from*ldb:], to-from) })
}

// inverses pools the memory for the inverses of diagonal triangles.
var inverses = sync.Pool{New: func() any { return new([]float64) }}

// triangle is the matrix of an equation.
type triangle struct {
	g     Implementation
	side  blas.Side
	lower bool // op(A) is
	a     view // op(A)
	ldb   int
	// inverse has the inverses of the diagonal triangles of base rows, one after the other, by rows
	// and with zeros beyond the diagonal.
	inverse []float64
}

// invert fills in the inverses, in room.
func (t *triangle) invert(room *[]float64, order int, unit bool) {
	size := par.Pieces(order, base) * base * base
	if cap(*room) < size {
		*room = make([]float64, size)
	}
	t.inverse = (*room)[:size]
	clear(t.inverse)
	for first := 0; first < order; first += base {
		a, w, rows := t.a.from(first, first), t.inverse[first*base:], min(base, order-first)
		// Row i of W is (e_i - sum_k a_ik W_k) / a_ii, over the rows k computed so far.
		for step := range rows {
			i, k, end := step, 0, step
			if !t.lower {
				i = rows - 1 - step
				k, end = i+1, rows
			}
			row, d := w[i*base:][:base], 1.0
			if !unit {
				d = 1 / a.data[i*(a.row+a.col)]
			}
			for ; k < end; k++ {
				c := a.data[i*a.row+k*a.col] * d
				for j, v := range w[k*base:][:base] {
					row[j] -= c * v
				}
			}
			row[i] = d
		}
	}
}

// solve solves for the unknowns first, ..., first+order-1, where first is a multiple of base and
// all other unknowns have been subtracted from the right sides. b has count right sides of all
// unknowns: columns, or rows if op(A) is on the right.
func (t *triangle) solve(first, order int, b []float64, count int) {
	if order <= base {
		inverse, x := of(t.inverse[first*base:], base), t.at(b, first)
		p := product{k: order, alpha: 1, c: x, ldc: t.ldb}
		if t.side == blas.Left {
			p.m, p.n, p.a, p.b = order, count, inverse, of(x, t.ldb)
		} else {
			p.m, p.n, p.a, p.b = count, order, of(x, t.ldb), inverse
		}
		t.g.replace(p)
		return
	}
	half := (order/2 + base - 1) / base * base
	middle, rest := first+half, order-half
	// op(A) X = B with a lower triangle determines the first unknowns first. X op(A) = B, or an
	// upper triangle, determines the last first; both together the first.
	if t.lower == (t.side == blas.Left) {
		t.solve(first, half, b, count)
		t.eliminate(middle, rest, first, half, b, count)
		t.solve(middle, rest, b, count)
		return
	}
	t.solve(middle, rest, b, count)
	t.eliminate(first, half, middle, rest, b, count)
	t.solve(first, half, b, count)
}

// at returns b from the first of some unknowns on.
func (t *triangle) at(b []float64, first int) []float64 {
	if t.side == blas.Left {
		return b[first*t.ldb:]
	}
	return b[first:]
}

// eliminate subtracts the known unknowns from, ... from the equations of the unknowns to, ....
func (t *triangle) eliminate(to, toCount, from, fromCount int, b []float64, count int) {
	x, c := of(t.at(b, from), t.ldb), t.at(b, to)
	p := product{k: fromCount, alpha: -1, c: c, ldc: t.ldb}
	if t.side == blas.Left {
		p.m, p.n, p.a, p.b = toCount, count, t.a.from(to, from), x
	} else {
		p.m, p.n, p.a, p.b = count, toCount, x, t.a.from(from, to)
	}
	t.g.multiply(p)
}
