package pca

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	fast "unfold/internal/simd/gemm"
	"unfold/internal/vec"
)

// products is G = X X'/n of the centred rows X, n x n. It has the non-zero eigenvalues of C =
// X'X/n, and if u is an eigenvector of G, X'u is one of C.
type products struct {
	g       *mat.SymDense
	full    *mat.Dense // g, both halves
	threads int
}

// newProducts forms G in double precision, one panel of columns at a time.
func newProducts(ctx context.Context, c *covariance) (*products, error) {
	n, dim := c.x.Rows, c.x.Cols
	sum, panel := vec.New[float64](n, n), make([]float64, n*min(dim, panelColumns))
	g := fast.Implementation{Threads: c.threads}
	for from := 0; from < dim; from += panelColumns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x := c.centred(panel, 0, n, from, min(dim, from+panelColumns))
		g.Dsyrk(blas.Upper, blas.NoTrans, n, x.Cols, 1/float64(n), x.Data, x.Stride, 1, sum.Data, n)
	}
	p := &products{g: mat.NewSymDense(n, sum.Data), threads: c.threads}
	p.full = mat.DenseCopyOf(p.g)
	return p, nil
}

func (p *products) order() int { return p.g.SymmetricDim() }

func (p *products) apply(ctx context.Context, v *mat.Dense) (*mat.Dense, error) {
	return times(p.threads, blas.NoTrans, p.full, v), ctx.Err()
}

// weight returns the factor by which the residual of X'u/|X'u| in C may exceed that of u in G,
// since |X'r| <= sqrt(n first) |r| and |X'u| = sqrt(n value). It is limited for eigenvalues that
// are only rounding error.
func (p *products) weight(value, first float64) float64 {
	if first == 0 {
		return 1
	}
	return math.Sqrt(first / max(value, 1e-16*first))
}

// dual computes the q leading eigenvectors of C from those of G. C is then diagonalised in the
// space that they span, so that components of little variance are also orthonormal and as accurate
// as those of C itself. Components beyond the n-th are arbitrary.
func dual(ctx context.Context, c *covariance, q int, s Settings) (*PCA, error) {
	g, err := newProducts(ctx, c)
	if err != nil {
		return nil, err
	}
	u, rounds := (*mat.Dense)(nil), 0
	if few := min(q, g.order()); whole(g.order(), few) {
		_, u, err = leading(g.g, few)
	} else {
		_, u, rounds, _, err = iterate(ctx, g, few, c.threads, s)
	}
	if err != nil {
		return nil, err
	}
	values, v, residual, err := rayleighRitz(ctx, c, orthonormal(c.spread(u, q)), q, q, c.threads)
	if err != nil {
		return nil, err
	}
	p := collect(values, v, q)
	p.Iterations, p.Residual = rounds, residual
	return p, nil
}

// spread returns X'u for the first q columns of u, dim x q, padded with columns of zeros.
func (c *covariance) spread(u *mat.Dense, q int) *mat.Dense {
	n, have := u.Dims()
	out := mat.NewDense(c.x.Cols, q, nil)
	few := min(q, have)
	c.addTransposed(out.Slice(0, c.x.Cols, 0, few).(*mat.Dense).RawMatrix(), u.Slice(0, n, 0, few).(*mat.Dense).RawMatrix(), 0)
	return out
}
