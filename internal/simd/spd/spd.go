package spd

import (
	"fmt"
	"math"

	gonum "gonum.org/v1/gonum/blas"
	reference "gonum.org/v1/gonum/blas/gonum"

	"unfold/internal/par"
	"unfold/internal/simd/gemm"
	"unfold/internal/vec"
)

// IndefiniteError reports that a matrix is not positive definite: after eliminating rows 0..Row-1,
// Pivot remains of the diagonal element Row.
type IndefiniteError struct {
	Row   int
	Pivot float64
}

func (e *IndefiniteError) Error() string {
	return fmt.Sprintf("the matrix is not positive definite: its pivot in row %d is %g", e.Row, e.Pivot)
}

// leaf is the number of rows below which halving gains nothing.
const leaf = 48

// tileRows is a common multiple of the rows and columns of a tile of package gemm.
const tileRows = 24

// block is a square or rectangular part of a matrix.
type block struct {
	a    []float64
	ld   int
	n, m int // rows, columns
}

func whole(a vec.Matrix[float64]) block {
	if a.Rows != a.Cols {
		panic(fmt.Sprintf("spd: a matrix of %d x %d is not square", a.Rows, a.Cols))
	}
	return block{a.Data, max(a.Cols, 1), a.Rows, a.Cols}
}

func (b block) at(i, j, n, m int) block { return block{b.a[i*b.ld+j:], b.ld, n, m} }

// halves returns the parts 11, 21 and 22 of a square block; the first has whole tiles.
func (b block) halves() (b11, b21, b22 block) {
	h := max(b.n/2/tileRows*tileRows, tileRows/2)
	return b.at(0, 0, h, h), b.at(h, 0, b.n-h, h), b.at(h, h, b.n-h, b.n-h)
}

// Factor overwrites the lower triangle of a with L, a = L L', and does not change the upper one.
// After an error, an *IndefiniteError, the lower triangle is unusable.
func Factor(a vec.Matrix[float64], threads int) error {
	return factor(gemm.Implementation{Threads: threads}, whole(a), 0)
}

func factor(g gemm.Implementation, a block, row int) error {
	if a.n <= leaf {
		return a.factorLeaf(row)
	}
	if a.n >= tiledRows {
		return factorTiled(a, block{}, g.Threads, row)
	}
	a11, a21, a22 := a.halves()
	if err := factor(g, a11, row); err != nil {
		return err
	}
	g.Dtrsm(gonum.Right, gonum.Lower, gonum.Trans, gonum.NonUnit, a21.n, a21.m, 1, a11.a, a.ld, a21.a, a.ld)
	g.Dsyrk(gonum.Lower, gonum.NoTrans, a22.n, a21.m, -1, a21.a, a.ld, 1, a22.a, a.ld)
	return factor(g, a22, row+a11.n)
}

func (b block) factorLeaf(row int) error {
	for j := range b.n {
		lj := b.a[j*b.ld : j*b.ld+j+1]
		p := lj[j] - vec.SquaredNorm(lj[:j])
		if !(p > 0) || math.IsInf(p, 0) {
			return &IndefiniteError{row + j, p}
		}
		p = math.Sqrt(p)
		lj[j] = p
		for i := j + 1; i < b.n; i++ {
			li := b.a[i*b.ld : i*b.ld+j+1]
			li[j] = (li[j] - vec.Dot(li[:j], lj[:j])) / p
		}
	}
	return nil
}

// LogDet returns log |A| for the factor l of A.
func LogDet(l vec.Matrix[float64]) (sum float64) {
	for i := range l.Rows {
		sum += math.Log(l.Data[i*l.Cols+i])
	}
	return 2 * sum
}

// Solve overwrites b (n x m) with A^-1 b, A = L L'.
func Solve(l, b vec.Matrix[float64], threads int) {
	HalfSolve(l, b, threads)
	SecondHalf(l, b, threads)
}

// SecondHalf overwrites b (n x m) with L'^-1 b. Applied after HalfSolve, it gives A^-1 b.
func SecondHalf(l, b vec.Matrix[float64], threads int) {
	g := gemm.Implementation{Threads: threads}
	g.Dtrsm(gonum.Left, gonum.Lower, gonum.Trans, gonum.NonUnit, b.Rows, b.Cols, 1, l.Data, l.Cols, b.Data, max(b.Cols, 1))
}

// HalfSolve overwrites b (n x m) with L^-1 b.
func HalfSolve(l, b vec.Matrix[float64], threads int) {
	g := gemm.Implementation{Threads: threads}
	g.Dtrsm(gonum.Left, gonum.Lower, gonum.NoTrans, gonum.NonUnit, b.Rows, b.Cols, 1, l.Data, l.Cols, b.Data, max(b.Cols, 1))
}

// Invert overwrites the factor l from Factor with A^-1 = (L L')^-1, both triangles.
func Invert(l vec.Matrix[float64], threads int) {
	InvertLower(l, threads)
	Mirror(l, threads)
}

// InvertLower is Invert for the lower triangle alone.
func InvertLower(l vec.Matrix[float64], threads int) {
	invert(gemm.Implementation{Threads: threads}, whole(l))
}

func invert(g gemm.Implementation, l block) {
	if l.n >= invertedRows {
		invertTiled(l, block{}, g.Threads)
		return
	}
	invertLower(g, l)
	square(g, l)
}

// invertLower overwrites the lower triangle L with L^-1.
func invertLower(g gemm.Implementation, l block) {
	if l.n <= leaf {
		l.invertLeaf()
		return
	}
	l11, l21, l22 := l.halves()
	g.Dtrsm(gonum.Left, gonum.Lower, gonum.NoTrans, gonum.NonUnit, l21.n, l21.m, -1, l22.a, l.ld, l21.a, l.ld)
	g.Dtrsm(gonum.Right, gonum.Lower, gonum.NoTrans, gonum.NonUnit, l21.n, l21.m, 1, l11.a, l.ld, l21.a, l.ld)
	invertLower(g, l11)
	invertLower(g, l22)
}

// invertLeaf computes the inverse by rows: row i of W = L^-1 is (e_i - sum_{k<i} L_ik W_k)/L_ii.
func (b block) invertLeaf() {
	for i := range b.n {
		li := b.a[i*b.ld : i*b.ld+i+1]
		d := 1 / li[i]
		var row [leaf]float64
		for k := range i {
			c := li[k] * d
			for j, w := range b.a[k*b.ld : k*b.ld+k+1] {
				row[j] -= c * w
			}
		}
		row[i] = d
		copy(li, row[:i+1])
	}
}

// square overwrites the lower triangle W with the lower triangle of W' W.
func square(g gemm.Implementation, w block) {
	if w.n <= leaf {
		w.squareLeaf()
		return
	}
	w11, w21, w22 := w.halves()
	square(g, w11)
	g.Dsyrk(gonum.Lower, gonum.Trans, w21.m, w21.n, 1, w21.a, w.ld, 1, w11.a, w.ld)
	mulTrans(g, w22, w21)
	square(g, w22)
}

// squareLeaf computes element (i,j), j <= i, as sum_{k>=i} W_ki W_kj. Row i needs itself and the
// rows below, which are overwritten later.
func (b block) squareLeaf() {
	for i := range b.n {
		row := b.a[i*b.ld : i*b.ld+i+1]
		var sum [leaf]float64
		for k := i; k < b.n; k++ {
			wk := b.a[k*b.ld : k*b.ld+i+1]
			for j, v := range wk {
				sum[j] += wk[i] * v
			}
		}
		copy(row, sum[:i+1])
	}
}

// strips is the number of columns of a product in one task, fewRows the number of rows to which a
// triangle is halved.
const (
	strips  = 96
	fewRows = 16
)

// mulTrans overwrites b with T' b, T lower triangular.
func mulTrans(g gemm.Implementation, t, b block) {
	threads := g.Threads
	g.Threads = 1
	if b.n*b.n*b.m < manyTasks {
		threads = 1
	}
	par.Ranges(threads, b.m, strips, func(_, from, to int) { mulTransColumns(g, t, b.at(0, from, b.n, to-from)) })
}

// manyTasks is the number of operations above which starting threads pays.
const manyTasks = 1 << 21

func mulTransColumns(g gemm.Implementation, t, b block) {
	if t.n <= fewRows {
		t.mulTransLeaf(b)
		return
	}
	t11, t21, t22 := t.halves()
	b1, b2 := b.at(0, 0, t11.n, b.m), b.at(t11.n, 0, t22.n, b.m)
	mulTransColumns(g, t11, b1)
	g.Dgemm(gonum.Trans, gonum.NoTrans, b1.n, b.m, b2.n, 1, t21.a, t.ld, b2.a, b.ld, 1, b1.a, b.ld)
	mulTransColumns(g, t22, b2)
}

// mulTransLeaf computes row i of T' b as sum_{k>=i} T_ki b_k.
func (b block) mulTransLeaf(x block) {
	for i := range b.n {
		xi := x.a[i*x.ld : i*x.ld+x.m]
		vec.Scale(b.a[i*b.ld+i], xi)
		k := i + 1
		for ; k+4 <= b.n; k += 4 { // four rows at a time
			t0, t1, t2, t3 := b.a[k*b.ld+i], b.a[(k+1)*b.ld+i], b.a[(k+2)*b.ld+i], b.a[(k+3)*b.ld+i]
			x0, x1 := x.a[k*x.ld:][:len(xi)], x.a[(k+1)*x.ld:][:len(xi)]
			x2, x3 := x.a[(k+2)*x.ld:][:len(xi)], x.a[(k+3)*x.ld:][:len(xi)]
			for j, v := range xi {
				xi[j] = v + ((t0*x0[j] + t1*x1[j]) + (t2*x2[j] + t3*x3[j]))
			}
		}
		for ; k < b.n; k++ {
			reference.Implementation{}.Daxpy(x.m, b.a[k*b.ld+i], x.a[k*x.ld:], 1, xi, 1)
		}
	}
}
