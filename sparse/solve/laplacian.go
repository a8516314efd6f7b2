package solve

import (
	"fmt"

	"unfold/sparse"
	"unfold/sparse/par"
	"unfold/sparse/vec"
)

// piece is the number of rows of one task; sums are formed piece by piece.
const piece = 4096

// Laplacian is the matrix Lap(W) + Gamma (Saul 2020, eq 19).
type Laplacian struct {
	// W holds the weights, symmetric, without diagonal entries.
	W *sparse.CSR
	// Diagonal is sum_k W_ik + Gamma_i.
	Diagonal []float64
}

// NewLaplacian returns Lap(w) + diag(gamma); a nil gamma is zero.
func NewLaplacian(w *sparse.CSR, gamma []float64) *Laplacian {
	a := &Laplacian{W: w, Diagonal: make([]float64, w.N)}
	a.Refresh(gamma, 0)
	return a
}

// Refresh recomputes Diagonal after the values of W or gamma have changed.
func (a *Laplacian) Refresh(gamma []float64, threads int) {
	if a.W.N != a.W.M || gamma != nil && len(gamma) != a.W.N {
		panic(fmt.Sprintf("solve: %d x %d weights with a diagonal of %d", a.W.N, a.W.M, len(gamma)))
	}
	par.Ranges(threads, a.W.N, piece, func(_, from, to int) {
		for i := from; i < to; i++ {
			_, w := a.W.Row(i)
			var s float64
			for _, v := range w {
				s += v
			}
			if gamma != nil {
				s += gamma[i]
			}
			a.Diagonal[i] = s
		}
	})
}

// MulRows sets rows from..to of dst = (Lap(W) + Gamma) x, up to four columns at
// a time, whose sums then stay in registers.
func (a *Laplacian) MulRows(dst, x vec.Matrix[float64], from, to int) {
	if dst.Rows != a.W.N || x.Rows != a.W.N || dst.Cols != x.Cols {
		panic(fmt.Sprintf("solve: %d x %d = (%d x %d) (%d x %d)", dst.Rows, dst.Cols, a.W.N, a.W.M, x.Rows, x.Cols))
	}
	for i := from; i < to; i++ {
		index, w := a.W.Row(i)
		w = w[:len(index)]
		c := 0
		for ; c+4 <= x.Cols; c += 4 {
			a.mul4(dst.Data, x.Data, index, w, i, x.Cols, c)
		}
		if c+2 <= x.Cols {
			a.mul2(dst.Data, x.Data, index, w, i, x.Cols, c)
			c += 2
		}
		if c < x.Cols {
			a.mul1(dst.Data, x.Data, index, w, i, x.Cols, c)
		}
	}
}

// mul4 does columns c..c+3 of row i; mul2 and mul1 fewer.
func (a *Laplacian) mul4(dst, x []float64, index []int32, w []float64, i, d, c int) {
	var s0, s1, s2, s3 float64
	for p, j := range index {
		e := int(j)*d + c
		v, u := w[p], x[e:e+4:e+4]
		s0 += v * u[0]
		s1 += v * u[1]
		s2 += v * u[2]
		s3 += v * u[3]
	}
	e, g := i*d+c, a.Diagonal[i]
	u, y := x[e:e+4:e+4], dst[e:e+4:e+4]
	y[0], y[1], y[2], y[3] = g*u[0]-s0, g*u[1]-s1, g*u[2]-s2, g*u[3]-s3
}

func (a *Laplacian) mul2(dst, x []float64, index []int32, w []float64, i, d, c int) {
	var s0, s1 float64
	for p, j := range index {
		e := int(j)*d + c
		v, u := w[p], x[e:e+2:e+2]
		s0 += v * u[0]
		s1 += v * u[1]
	}
	e, g := i*d+c, a.Diagonal[i]
	u, y := x[e:e+2:e+2], dst[e:e+2:e+2]
	y[0], y[1] = g*u[0]-s0, g*u[1]-s1
}

func (a *Laplacian) mul1(dst, x []float64, index []int32, w []float64, i, d, c int) {
	var s float64
	for p, j := range index {
		s += w[p] * x[int(j)*d+c]
	}
	dst[i*d+c] = a.Diagonal[i]*x[i*d+c] - s
}

// Mul sets dst = (Lap(W) + Gamma) x.
func (a *Laplacian) Mul(dst, x vec.Matrix[float64], threads int) {
	par.Ranges(threads, a.W.N, piece, func(_, from, to int) { a.MulRows(dst, x, from, to) })
}
