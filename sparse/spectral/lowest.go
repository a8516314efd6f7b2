package spectral

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/sparse"
)

// Settings are the settings of Lowest. The zero value is usable.
type Settings struct {
	// Tolerance is the residual |L v - lambda v| / lambda at which the iteration stops. Default
	// 1e-2. Rounding limits the residual to a few units in the last place of the largest entry of
	// L; the iteration also stops there.
	Tolerance float64
	// MaxIterations of LOBPCG; default 500.
	MaxIterations int
	// Masses, if not nil, has a positive number for each point: eigenpairs are those of Lap(W) v =
	// lambda diag(Masses) v, with v'diag(Masses) v = 1. Masses = W 1 gives the symmetric normalised
	// Laplacian, whose eigenvectors are Masses^(1/2) v.
	Masses []float64
	// Exact is the maximum size, in numbers, of a complete factor by nested dissection (package
	// multifrontal). If the factor fits, vectors are found by a few Lanczos iterations on the
	// inverse, and weights may have either sign as long as Lap(W) is positive semi-definite.
	// Otherwise, and with 0, LOBPCG with an approximate factor is used. Whole sets no bound.
	Exact int64
	// Dense is the maximum number of points for the dense solver; default 400, negative for never.
	Dense int
	// Seed of the random start.
	Seed uint64
	// Threads bounds the goroutines; 0 means GOMAXPROCS.
	Threads int
	// Progress, if not nil, is called with the residual after every iteration.
	Progress func(iteration int, residual float64)
}

// Whole is a Settings.Exact without a bound.
const Whole = math.MaxInt64

// Result has the eigenpairs 2 .. count+1 of a Laplacian.
type Result struct {
	// Values are the eigenvalues, ascending up to rounding.
	Values []float64
	// Vectors are n x count. Each column is an eigenvector of unit norm or, with masses, of unit
	// v'diag(Masses) v.
	Vectors vec.Matrix[float64]
	// Iterations is the number of iterations of LOBPCG or Lanczos, 0 if the dense solver was used.
	Iterations int
	// Residual is the largest |L v - lambda v| / lambda; with masses it is that of the iterated
	// matrix (package comment, "Masses"). With a complete factor it is |L^-1 v - v/lambda| lambda,
	// which gives less weight to rough components and has to reach a thousandth of the tolerance.
	Residual float64
	// Converged reports that Residual reached the tolerance or the limit of rounding.
	Converged bool
	// Rounding reports that rounding was the limit: Residual is the smallest that occurred and
	// above the tolerance. Vectors and Values belong to that residual.
	Rounding bool
}

// ErrSize is wrapped by the error of a request for more vectors than exist.
var ErrSize = errors.New("a graph of n points has n - 1 eigenvectors beside the constant one")

// Lowest returns the count lowest eigenvectors of Lap(w) after the constant one. w must be
// symmetric, with positive weights (but see Settings.Exact) and no diagonal entries, and its graph
// connected. It returns an error if count > n-1, if masses are not n positive numbers or if ctx
// ends.
func Lowest(ctx context.Context, w *sparse.CSR, count int, s Settings) (*Result, error) {
	if w.N != w.M {
		return nil, fmt.Errorf("spectral: %d x %d matrix is not square", w.N, w.M)
	}
	if count < 1 || count > w.N-1 {
		return nil, fmt.Errorf("spectral: %d eigenvectors of a graph of %d points: %w", count, w.N, ErrSize)
	}
	if s.Tolerance <= 0 {
		s.Tolerance = 1e-2
	}
	if s.MaxIterations <= 0 {
		s.MaxIterations = 500
	}
	if s.Dense == 0 {
		s.Dense = 400
	}
	p, err := newProblem(w, s.Masses)
	if err != nil {
		return nil, err
	}
	var r *Result
	// The block method needs space for three blocks.
	if w.N <= s.Dense || w.N < 4*(count+guard) {
		r, err = dense(p, count)
	} else if r, err = sparsely(ctx, p, count, s); err == nil && r == nil {
		r, err = iterate(ctx, p, count, s)
	}
	if err != nil {
		return nil, err
	}
	p.undo(r.Vectors)
	orient(r.Vectors)
	return r, nil
}

// inverseShare is the part of the tolerance that a residual of the inverse has to reach.
const inverseShare = 1e-3

// sparsely uses a complete factor. It returns nil if that would be too large.
func sparsely(ctx context.Context, p *problem, count int, s Settings) (*Result, error) {
	v, err := p.inverse(ctx, s)
	if v == nil || err != nil {
		return nil, err
	}
	s.Tolerance *= inverseShare
	return byInverse(ctx, v, count, s)
}

// dense uses a full factorisation.
func dense(p *problem, count int) (*Result, error) {
	n := p.a.W.N
	a := mat.NewSymDense(n, nil)
	for i := range n {
		to, v := p.a.W.Row(i)
		for k, j := range to {
			if int(j) > i {
				a.SetSym(i, int(j), -v[k])
			}
		}
		a.SetSym(i, i, p.a.Diagonal[i])
	}
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		return nil, errors.New("spectral: the dense eigenvalue iteration did not converge; are all weights finite?")
	}
	var all mat.Dense
	e.VectorsTo(&all)
	r := &Result{Values: append([]float64(nil), e.Values(nil)[1:count+1]...), Vectors: vec.New[float64](n, count), Converged: true}
	for i := range n {
		for c := range count {
			r.Vectors.Row(i)[c] = all.At(i, c+1)
		}
	}
	return r, nil
}

// orient makes the entry of largest magnitude of every column positive.
func orient(v vec.Matrix[float64]) {
	for c := range v.Cols {
		var largest float64
		for i := range v.Rows {
			if x := v.Data[i*v.Cols+c]; math.Abs(x) > math.Abs(largest) {
				largest = x
			}
		}
		if largest >= 0 {
			continue
		}
		for i := range v.Rows {
			v.Data[i*v.Cols+c] = -v.Data[i*v.Cols+c]
		}
	}
}
