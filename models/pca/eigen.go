package pca

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
)

// dense computes all eigenvectors of C, which must be formed, and keeps q.
func dense(c *covariance, q int) (*PCA, error) {
	values, vectors, err := leading(c.gram, q)
	if err != nil {
		return nil, err
	}
	return collect(values, vectors, q), nil
}

// leading returns the m largest eigenvalues of a symmetric matrix, descending,
// and their eigenvectors as columns.
func leading(a *mat.SymDense, m int) ([]float64, *mat.Dense, error) {
	var eig mat.EigenSym
	if !eig.Factorize(a, true) {
		return nil, nil, errors.New("the eigenvectors of the covariance were not found; the values may be too large, standardize the columns")
	}
	n := a.SymmetricDim()
	all := eig.Values(nil)
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	values, out := make([]float64, m), mat.NewDense(n, m, nil)
	for k := range m {
		values[k] = max(0, all[n-1-k])
		for i := range n {
			out.Set(i, k, vectors.At(i, n-1-k))
		}
	}
	return values, out, nil
}

// collect returns the PCA of eigenvectors that are stored as columns.
func collect(values []float64, vectors *mat.Dense, q int) *PCA {
	dim, _ := vectors.Dims()
	p := &PCA{Components: vec.New[float32](q, dim), Variance: values[:q:q]}
	for k := range q {
		row := p.Components.Row(k)
		for j := range dim {
			row[j] = float32(vectors.At(j, k))
		}
	}
	return p
}

// These limit the iterative solver: guard is the number of extra columns beyond q, depth the number
// of products with C before a Rayleigh-Ritz step; the last is the maximum number of rounds.
const (
	guard     = 8
	depth     = 2
	maxRounds = 40
)

// For more than narrow components of dense rows, the space of all powers would be so large that its
// eigenvectors take most of the time. Then only the last power is kept, after this many products.
const (
	narrow = 64
	powers = 4
)

// carried returns the number of columns that the iteration uses for q eigenvectors.
func carried(q int) int { return q + guard + q/4 }

// operator is a symmetric, positive semidefinite matrix, given by its products.
type operator interface {
	// order is the number of rows.
	order() int
	// apply returns the product of the matrix with v.
	apply(ctx context.Context, v *mat.Dense) (*mat.Dense, error)
	// weight returns the factor of the residual of an eigenvector with the given eigenvalue; first
	// is the largest eigenvalue.
	weight(value, first float64) float64
}

// krylov computes the q leading eigenvectors of C by iteration.
func krylov(ctx context.Context, c operator, q, threads int, s Settings) (*PCA, error) {
	values, v, rounds, residual, err := iterate(ctx, c, q, threads, s)
	if err != nil {
		return nil, err
	}
	p := collect(values, v, q)
	p.Iterations, p.Residual = rounds, residual
	return p, nil
}

// iterate computes the q leading eigenvectors by restarted block Krylov iteration. A round extends
// the m best vectors V so far to the space of [V, C V, C^2 V], or replaces them by C^4 V if the
// settings are wide. It diagonalises C in that space (Rayleigh-Ritz) and keeps the m best vectors.
// Only products with C are needed. It stops at the given residual, or after maxRounds: a cluster of
// eigenvalues at the q-th place never converges, because all sets of q vectors are equally good.
func iterate(ctx context.Context, c operator, q, threads int, s Settings) (values []float64, v *mat.Dense, rounds int, residual float64, err error) {
	dim := c.order()
	m, last := carried(q), cmp.Or(s.rounds, maxRounds)
	rng := rand.New(rand.NewPCG(s.Seed, 0x9ca))
	v = mat.NewDense(dim, m, nil)
	for i := range v.RawMatrix().Data {
		v.RawMatrix().Data[i] = rng.NormFloat64()
	}
	v = orthonormal(v)
	for round := 1; ; round++ {
		basis, err := extend(ctx, c, v, s.wide)
		if err != nil {
			return nil, nil, 0, 0, err
		}
		values, v, residual, err = rayleighRitz(ctx, c, basis, m, q, threads)
		if err != nil || residual <= s.Tolerance || round == last {
			return values, v, round, residual, err
		}
	}
}

// extend returns an orthonormal basis of the space of v and its images under C. If wide, it is the
// space of the last image alone.
func extend(ctx context.Context, c operator, v *mat.Dense, wide bool) (*mat.Dense, error) {
	if wide {
		return image(ctx, c, v, powers)
	}
	basis, block := v, v
	for range depth {
		var err error
		if block, err = image(ctx, c, block, 1); err != nil {
			return nil, err
		}
		dim, have := basis.Dims()
		_, more := block.Dims()
		both := mat.NewDense(dim, have+more, nil)
		both.Augment(basis, block)
		basis = both
	}
	return orthonormal(basis), nil
}

// image returns an orthonormal basis of the space of C^times v.
func image(ctx context.Context, c operator, v *mat.Dense, times int) (*mat.Dense, error) {
	for range times {
		next, err := c.apply(ctx, v)
		if err != nil {
			return nil, err
		}
		v = orthonormal(next)
	}
	return v, nil
}

// rayleighRitz returns the m best approximations to eigenvectors of C in the space of an
// orthonormal basis, and their eigenvalues. It also returns the largest weighted residual norm of
// the first q, relative to the first eigenvalue.
func rayleighRitz(ctx context.Context, c operator, basis *mat.Dense, m, q, threads int) (values []float64, vectors *mat.Dense, residual float64, err error) {
	image, err := c.apply(ctx, basis)
	if err != nil {
		return nil, nil, 0, err
	}
	dim, b := basis.Dims()
	small := times(threads, blas.Trans, basis, image)
	sym := mat.NewSymDense(b, nil)
	for i := range b {
		for j := i; j < b; j++ {
			sym.SetSym(i, j, (small.At(i, j)+small.At(j, i))/2)
		}
	}
	values, turn, err := leading(sym, m)
	if err != nil {
		return nil, nil, 0, err
	}
	vectors, mapped := times(threads, blas.NoTrans, basis, turn), times(threads, blas.NoTrans, image, turn)
	for k := range q {
		var sum float64
		for i := range dim {
			d := mapped.At(i, k) - values[k]*vectors.At(i, k)
			sum += d * d
		}
		residual = max(residual, c.weight(values[k], values[0])*math.Sqrt(sum))
	}
	if values[0] > 0 {
		residual /= values[0]
	}
	return values, vectors, residual, nil
}

// orthonormal turns the columns of v into an orthonormal basis of their space,
// in place, and returns v (Householder QR; columns that depend on others become
// arbitrary directions).
func orthonormal(v *mat.Dense) *mat.Dense {
	a := v.RawMatrix()
	tau := make([]float64, a.Cols)
	work := make([]float64, 64*a.Cols)
	lapack64.Geqrf(a, tau, work, len(work))
	lapack64.Orgqr(a, tau, work, len(work))
	return v
}
