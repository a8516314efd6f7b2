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

// dense computes all eigenvectors of C, which is formed, and keeps q.
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

// collect makes a PCA of eigenvectors that are columns.
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

// Limits of the iterative solver: how many columns it carries beyond q, how
// often C is applied before the Rayleigh-Ritz step, and how many rounds it
// takes at most.
const (
	guard     = 8
	depth     = 2
	maxRounds = 40
)

// Of more than narrow components of rows in full, the space of all powers would be so large
// that the eigenvectors in it take most of the time: the last power alone is kept, after so
// many applications.
const (
	narrow = 64
	powers = 4
)

// carried is how many columns the iteration carries for q eigenvectors.
func carried(q int) int { return q + guard + q/4 }

// operator is a symmetric, positive semidefinite matrix by its products.
type operator interface {
	// order is the number of rows.
	order() int
	// apply returns the product with the columns of v.
	apply(ctx context.Context, v *mat.Dense) (*mat.Dense, error)
	// weight is what the residual of an eigenvector of that value counts, the largest
	// value being first.
	weight(value, first float64) float64
}

// krylov finds the q leading eigenvectors of C by iteration.
func krylov(ctx context.Context, c operator, q, threads int, s Settings) (*PCA, error) {
	values, v, rounds, residual, err := iterate(ctx, c, q, threads, s)
	if err != nil {
		return nil, err
	}
	p := collect(values, v, q)
	p.Iterations, p.Residual = rounds, residual
	return p, nil
}

// iterate finds the q leading eigenvectors by restarted block Krylov iteration:
// in each round the m best vectors V so far are extended to the space of
// [V, C V, C^2 V], or replaced by C^4 V if the settings are wide; in it C is
// diagonalised (Rayleigh-Ritz) and the m best are kept. It needs products with C
// only, and as many columns of x as the space has. It stops at the given residual; a
// cluster of eigenvalues at the q-th place, where no set of q vectors is
// better than another, ends it after maxRounds.
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

// extend returns an orthonormal basis of the space of v and its images or, wide, of its
// last image alone.
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

// rayleighRitz returns the m best approximations to eigenvectors of C in the
// space of an orthonormal basis, their values, and the largest residual norm of
// the first q, weighted, relative to the first value.
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
