package blas

import (
	"gonum.org/v1/gonum/blas"

	"unfold/sparse/par"
)

// base is the largest triangle that gonum solves; a right side is cut into
// pieces of so many columns, or of so many rows, for the threads.
const (
	base       = 16
	solveCols  = 8 * width
	solveLines = tall
)

// Dtrsm solves op(A) X = alpha B, or X op(A) = alpha B for s == blas.Right, for a
// triangular A, and writes X of m x n over B; see gonum.
func (g Implementation) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	order := n
	if s == blas.Left {
		order = m
	}
	if order <= base || m*n*order < little || alpha == 0 || s != blas.Left && s != blas.Right ||
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
	t := triangle{g: g, side: s, ul: ul, tA: tA, diag: d, a: a, lda: lda, ldb: ldb}
	t.lower = (ul == blas.Lower) == (tA == blas.NoTrans)
	if s == blas.Left {
		par.Ranges(threads, n, solveCols, func(_, from, to int) { t.solve(0, order, b[from:], to-from) })
		return
	}
	par.Ranges(threads, m, solveLines, func(_, from, to int) { t.solve(0, order, b[from*ldb:], to-from) })
}

// triangle is the left side of an equation.
type triangle struct {
	g        Implementation
	side     blas.Side
	ul       blas.Uplo
	tA       blas.Transpose
	diag     blas.Diag
	lower    bool // op(A) is
	a        []float64
	lda, ldb int
}

// solve solves for the unknowns first, ..., first+order-1, from whose right sides
// all others are taken out. b holds count right sides of all unknowns: columns, or
// rows if op(A) stands on the right.
func (t *triangle) solve(first, order int, b []float64, count int) {
	if order <= base {
		a, at := t.a[first*(t.lda+1):], t.at(b, first)
		if t.side == blas.Left {
			t.g.Implementation.Dtrsm(t.side, t.ul, t.tA, t.diag, order, count, 1, a, t.lda, at, t.ldb)
		} else {
			t.g.Implementation.Dtrsm(t.side, t.ul, t.tA, t.diag, count, order, 1, a, t.lda, at, t.ldb)
		}
		return
	}
	half := (order/2 + height - 1) / height * height
	middle, rest := first+half, order-half
	// op(A) X = B with a lower triangle gives the first unknowns first; X op(A) =
	// B, or an upper triangle, the last; both together the first.
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

// eliminate takes the known unknowns from, ... out of the equations of the unknowns
// to, ....
func (t *triangle) eliminate(to, toCount, from, fromCount int, b []float64, count int) {
	op, x, c := of(t.a, t.lda).transposed(t.tA), of(t.at(b, from), t.ldb), t.at(b, to)
	p := product{k: fromCount, alpha: -1, c: c, ldc: t.ldb}
	if t.side == blas.Left {
		p.m, p.n, p.a, p.b = toCount, count, op.from(to, from), x
	} else {
		p.m, p.n, p.a, p.b = count, toCount, x, op.from(from, to)
	}
	t.g.multiply(p)
}
