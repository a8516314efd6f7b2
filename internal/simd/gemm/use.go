package gemm

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"

	"unfold/internal/simd"
)

// Implementation is gonum's, except for Dgemm, Dsyrk and Dtrsm. The zero value works.
type Implementation struct {
	gonum.Implementation
	// Threads bounds the goroutines of a call; 0 means GOMAXPROCS.
	Threads int
	// reduced lowers the instruction set by this many levels, for tests.
	reduced simd.Level
}

// Use makes gonum compute with this package. Only main functions should call it, before any
// computation, because the setting is gonum's and global.
func Use() { blas64.Use(Implementation{}) }

// Products with fewer operations than little are left to gonum, and so are those with so few rows
// or columns that most of a tile would be unused.
const (
	little    = 16 * 16 * 16
	fewRows   = 2
	fewCols   = 4
	manyTasks = 1 << 21 // products from which threads are worth their start
)

// Dgemm computes C = alpha op(A) op(B) + beta C, C of m x n and op(A) of m x k;
// see gonum.
func (g Implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	left, right := of(a, lda).transposed(tA), of(b, ldb).transposed(tB)
	if m < fewRows || n < fewCols || m*n*k < little || alpha == 0 || !isTranspose(tA) || !isTranspose(tB) ||
		!left.holds(m, k, lda) || !right.holds(k, n, ldb) || !of(c, ldc).holds(m, n, ldc) {
		g.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	for i := range m {
		scale(beta, c[i*ldc:][:n])
	}
	g.multiply(product{m: m, n: n, k: k, alpha: alpha, a: left, b: right, c: c, ldc: ldc})
}

// Dsyrk computes the upper or lower triangle of C = alpha op(A) op(A)' + beta C,
// C of n x n and op(A) of n x k; see gonum.
func (g Implementation) Dsyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	left := of(a, lda).transposed(tA)
	if n < fewCols || n*n*k < 2*little || alpha == 0 || ul != blas.Upper && ul != blas.Lower || !isTranspose(tA) ||
		!left.holds(n, k, lda) || !of(c, ldc).holds(n, n, ldc) {
		g.Implementation.Dsyrk(ul, tA, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	scaleTriangle(ul, n, beta, c, ldc)
	right := view{left.data, left.col, left.row}
	g.multiply(product{m: n, n: n, k: k, alpha: alpha, a: left, b: right, c: c, ldc: ldc, part: ul})
}

// Dgemmtr computes the upper or lower triangle of C = alpha op(A) op(B) + beta C, C of n x n and
// op(A) of n x k. It panics if the arguments are inconsistent.
func (g Implementation) Dgemmtr(ul blas.Uplo, tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	left, right := of(a, lda).transposed(tA), of(b, ldb).transposed(tB)
	if ul != blas.Upper && ul != blas.Lower || !isTranspose(tA) || !isTranspose(tB) {
		panic("gemm: a product of no triangle")
	}
	scaleTriangle(ul, n, beta, c, ldc)
	if n*n*k < 2*little || !left.holds(n, k, lda) || !right.holds(k, n, ldb) || !of(c, ldc).holds(n, n, ldc) {
		for i := range n {
			from, to := 0, i+1
			if ul == blas.Upper {
				from, to = i, n
			}
			for j := from; j < to; j++ {
				sum := 0.0
				for p := range k {
					sum += left.data[i*left.row+p*left.col] * right.data[p*right.row+j*right.col]
				}
				c[i*ldc+j] += alpha * sum
			}
		}
		return
	}
	g.multiply(product{m: n, n: n, k: k, alpha: alpha, a: left, b: right, c: c, ldc: ldc, part: ul})
}

// scaleTriangle multiplies a triangle by beta.
func scaleTriangle(ul blas.Uplo, n int, beta float64, c []float64, ldc int) {
	for i := range n {
		row := c[i*ldc:][:n]
		if ul == blas.Upper {
			scale(beta, row[i:])
		} else {
			scale(beta, row[:i+1])
		}
	}
}

func isTranspose(t blas.Transpose) bool {
	return t == blas.NoTrans || t == blas.Trans || t == blas.ConjTrans
}

// scale multiplies x by beta; zero sets it to zero even if it is not finite.
func scale(beta float64, x []float64) {
	switch beta {
	case 0:
		clear(x)
	case 1:
	default:
		for k := range x {
			x[k] *= beta
		}
	}
}

// view is a matrix whose element (i, j) is data[i*row + j*col]. One of the strides
// is 1.
type view struct {
	data     []float64
	row, col int
}

// of returns the view of a matrix by rows.
func of(data []float64, ld int) view { return view{data, ld, 1} }

func (v view) transposed(t blas.Transpose) view {
	if t == blas.NoTrans {
		return v
	}
	return view{v.data, v.col, v.row}
}

// from returns v without its first rows and columns.
func (v view) from(i, j int) view { return view{v.data[i*v.row+j*v.col:], v.row, v.col} }

// holds reports whether rows x cols elements fit into v, whose lines are ld apart.
func (v view) holds(rows, cols, ld int) bool {
	length := cols
	if v.col != 1 {
		length = rows
	}
	return rows > 0 && cols > 0 && ld >= length && (rows-1)*v.row+(cols-1)*v.col < len(v.data)
}
