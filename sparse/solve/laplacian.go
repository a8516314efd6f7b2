package solve

import (
	"fmt"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse"
)

// piece is the number of rows in one task; sums are formed piece by piece. It is small, so that
// pieces can be distributed evenly.
const piece = 1024

// Laplacian is the matrix Lap(W) + Gamma (Saul 2020, eq 19).
type Laplacian struct {
	// W holds the weights, symmetric, without diagonal entries.
	W *sparse.CSR
	// Diagonal is sum_k W_ik + Gamma_i.
	Diagonal []float64
	// Single has the values of W, if W is a pattern without Data. Loose solves for two or three
	// columns use them directly (Settings.Single); everything else needs Wide.
	Single []float32
	// Definite promises that HasGamma is true for every point. Without it a solve checks all of W.
	Definite bool
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

// MulRows sets rows from..to of dst = (Lap(W) + Gamma) x.
func (a *Laplacian) MulRows(dst, x vec.Matrix[float64], from, to int) {
	a.W.LaplacianMulRows(dst, a.Diagonal, x, from, to)
}

// Mul sets dst = (Lap(W) + Gamma) x.
func (a *Laplacian) Mul(dst, x vec.Matrix[float64], threads int) {
	par.Ranges(threads, a.W.N, piece, func(_, from, to int) { a.MulRows(dst, x, from, to) })
}

// rounding is the part of a diagonal entry below which Gamma counts as rounding error. A component
// without Gamma makes the matrix singular.
const rounding = 1e-14

// excess returns Gamma_i, the diagonal minus the sum of the weights.
func excess(diagonal float64, w []float64) float64 {
	var s0, s1, sum float64 // an addition need not wait for the last one
	for ; len(w) >= 2; w = w[2:] {
		s0 += w[0]
		s1 += w[1]
	}
	for _, v := range w {
		sum = v
	}
	sum += s0 + s1
	if g := diagonal - sum; HasGamma(g, diagonal) {
		return g
	}
	return 0
}

// HasGamma reports whether gamma, in a diagonal of this size, exceeds rounding.
func HasGamma(gamma, diagonal float64) bool { return gamma > rounding*diagonal }

// inverse returns 1/g, or 0 for a point without weights and Gamma.
func inverse(g float64) float64 {
	if g > 0 || g != g {
		return 1 / g
	}
	return 0
}
