package pca

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse"
)

const (
	// sparseTolerance is the default residual of a truncated SVD. Spectra of sparse rows, such as
	// word counts, decrease slowly, so that a rough separation of the last vectors suffices.
	sparseTolerance = 1e-3
	// sparseRounds bounds the rounds of the iteration. Word counts take 2 or 3. Where all
	// directions are equally good, as in random rows, more rounds would gain nothing.
	sparseRounds = 6
	// bandColumns is the number of columns of a factor in one task.
	bandColumns = 32
)

// Truncated returns the q leading right singular vectors of the rows of a (n x dim): the
// eigenvectors V of
//
//	C = A'A / n
//
// by decreasing eigenvalue. It forms C for few columns, and A A'/n for few rows; otherwise it iterates
// with products of A alone, as for a covariance (iterate).
// Text retrieval calls this latent semantic indexing (Deerwester et al. 1990). Mean is 0, because
// centring would fill in the rows. Variance has the mean squares along the components, and Total is
// that of whole rows. A Tolerance of 0 means 1e-3 here, and at most 6 rounds. It returns a
// bad-input error if q is not within 1..a.M(), a has no rows or a value is not finite.
func Truncated(ctx context.Context, a *sparse.Rows, q int, s Settings) (*PCA, error) {
	if s.Tolerance == 0 {
		s.Tolerance, s.rounds = sparseTolerance, sparseRounds
	}
	switch {
	case q < 1 || q > a.M():
		return nil, models.BadInputf("pca: %d components of vectors of %d elements: want 1 to %d", q, a.M(), a.M())
	case a.N() < 1:
		return nil, models.BadInputf("pca: there are no rows")
	case !vec.Finite(a.Values()):
		return nil, models.BadInputf("pca: a value is not finite")
	}
	g := &gram{a: a, threads: s.Threads}
	p, err := g.solve(ctx, q, s)
	if err != nil {
		return nil, fmt.Errorf("pca: %w", err)
	}
	p.Mean, p.Total = make([]float32, a.M()), vec.Dot(a.Values(), a.Values())/float64(a.N())
	for i := range p.Components.Rows {
		orient(p.Components.Row(i))
	}
	return p, nil
}

// TruncatedBytes returns the approximate maximum memory of Truncated, besides a, for q components
// of n rows of dim columns.
func TruncatedBytes(n, dim, q, threads int) int64 {
	rows, columns, spaces := int64(n), int64(dim), int64(depth+1)*int64(carried(q))
	// besides is the memory of finding eigenvectors of a formed matrix.
	besides := func(order int) int64 {
		switch few := min(q, order); {
		case whole(order, few):
			return 2 * int64(order)
		case wide(order, few):
			return 4 * int64(carried(q))
		}
		return 3 * spaces
	}
	bands := bandColumns * int64(par.Threads(threads))
	switch sparseFormOf(n, dim, q) {
	case Dual:
		// The terms are the products twice with the growing spaces, or a band of all columns for each
		// thread; then the basis in all columns, its image, and both rotated.
		products := 3*rows*spaces + columns*bands
		if n <= maxGram || direct(n, min(q, n)) {
			products = 2*rows*rows + rows*besides(n) + columns*int64(par.Threads(threads))
		}
		return 8 * max(products, columns*(4*int64(q)+2*bands))
	case Primal:
		return 8 * columns * (2*columns + besides(dim))
	}
	// The terms are the growing spaces, their image, and a band of both for each thread.
	return 8 * columns * (3*spaces + 2*bands)
}

// gram is C of sparse rows, given by its products.
type gram struct {
	a       *sparse.Rows
	threads int
}

// solve computes q eigenvectors by the form that suits the shape of the rows.
func (g *gram) solve(ctx context.Context, q int, s Settings) (*PCA, error) {
	switch sparseFormOf(g.a.N(), g.a.M(), q) {
	case Dual:
		return g.dual(ctx, q, s)
	case Primal:
		c, err := g.form(ctx)
		if err != nil {
			return nil, err
		}
		if whole(g.a.M(), q) {
			return dense(&covariance{gram: c.g}, q)
		}
		s.wide = wide(g.a.M(), q)
		return krylov(ctx, formedCovariance{c}, q, g.threads, s)
	}
	return krylov(ctx, g, q, g.threads, s)
}

// order is the number of columns.
func (g *gram) order() int { return g.a.M() }

// weight is 1, because residuals need no correction here.
func (g *gram) weight(_, _ float64) float64 { return 1 }

// apply returns C v for v (dim x m). A task computes some columns of v, so that each element is one
// sum over the rows in order, for any number of threads.
func (g *gram) apply(ctx context.Context, v *mat.Dense) (*mat.Dense, error) {
	dim, m := v.Dims()
	out := mat.NewDense(dim, m, nil)
	par.Ranges(g.threads, m, bandColumns, func(_, from, to int) {
		width := to - from
		band, image := vec.New[float64](dim, width), vec.New[float64](dim, width)
		for j := range dim {
			copy(band.Row(j), v.RawRowView(j)[from:to])
		}
		y := make([]float64, width)
		for i := range g.a.N() {
			if i%4096 == 0 && ctx.Err() != nil {
				return
			}
			index, data := g.a.Row(i)
			clear(y)
			for p, j := range index {
				floats.AddScaled(y, data[p], band.Row(j))
			}
			for p, j := range index {
				floats.AddScaled(image.Row(j), data[p], y)
			}
		}
		vec.Scale(1/float64(g.a.N()), image.Data)
		for j := range dim {
			copy(out.RawRowView(j)[from:to], image.Row(j))
		}
	})
	return out, ctx.Err()
}
