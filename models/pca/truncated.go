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
	// sparseTolerance is the default residual of a truncated SVD. Spectra of sparse rows, such
	// as those of words, fall slowly: one vector more or less in a hundred is as good.
	sparseTolerance = 1e-3
	// sparseRounds bounds the rounds of the iteration, of which words take 2 or 3. Where no
	// direction is better than another, as of random rows, more would only choose between these.
	sparseRounds = 6
	// bandColumns is the number of columns of a factor of one task.
	bandColumns = 32
)

// Truncated returns the q leading right singular vectors of the rows of a (n x dim): the
// eigenvectors V of
//
//	C = A'A / n
//
// by falling eigenvalue, found as those of a covariance are (iterate), by products of A alone.
// It is what text retrieval calls latent semantic indexing (Deerwester et al. 1990). Mean is 0:
// rows are not centred, which would fill them. Variance are mean squares along the components,
// and Total is that of whole rows. A Tolerance of 0 means 1e-3 here, and at most 6 rounds. It fails with bad input if
// q is not within 1..a.M, a has no rows or a value is not finite.
func Truncated(ctx context.Context, a *sparse.CSR, q int, s Settings) (*PCA, error) {
	if s.Tolerance == 0 {
		s.Tolerance, s.rounds = sparseTolerance, sparseRounds
	}
	switch {
	case q < 1 || q > a.M:
		return nil, models.BadInputf("pca: %d components of vectors of %d elements: want 1 to %d", q, a.M, a.M)
	case a.N < 1:
		return nil, models.BadInputf("pca: there are no rows")
	case !vec.Finite(a.Data):
		return nil, models.BadInputf("pca: a value is not finite")
	}
	g := &gram{a: a, threads: s.Threads}
	p, err := g.solve(ctx, q, s)
	if err != nil {
		return nil, fmt.Errorf("pca: %w", err)
	}
	p.Mean, p.Total = make([]float32, a.M), vec.Dot(a.Data, a.Data)/float64(a.N)
	for i := range p.Components.Rows {
		orient(p.Components.Row(i))
	}
	return p, nil
}

// TruncatedBytes returns about the memory that Truncated holds at most, beside a, for q
// components of rows of dim columns.
func TruncatedBytes(dim, q, threads int) int64 {
	columns, spaces := int64(dim), int64(depth+1)*int64(carried(q))
	if direct(dim, q) {
		return 8 * 3 * columns * columns
	}
	// The spaces as they grow, their image, and a band of both for each thread.
	return 8 * columns * (3*spaces + 2*bandColumns*int64(par.Threads(threads)))
}

// gram is C of sparse rows, by its products.
type gram struct {
	a       *sparse.CSR
	threads int
}

// solve finds q eigenvectors: of few columns from C itself.
func (g *gram) solve(ctx context.Context, q int, s Settings) (*PCA, error) {
	if !direct(g.a.M, q) {
		return krylov(ctx, g, q, g.threads, s)
	}
	unit := mat.NewDense(g.a.M, g.a.M, nil)
	for j := range g.a.M {
		unit.Set(j, j, 1)
	}
	c, err := g.apply(ctx, unit)
	if err != nil {
		return nil, err
	}
	return dense(&covariance{gram: mat.NewSymDense(g.a.M, c.RawMatrix().Data)}, q)
}

// order is the number of columns.
func (g *gram) order() int { return g.a.M }

// weight is 1: every residual counts as it is.
func (g *gram) weight(_, _ float64) float64 { return 1 }

// apply returns C v for the columns of v (dim x m). A task takes some columns of v, so that
// each element is one sum over the rows in their order, whatever the number of threads.
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
		for i := range g.a.N {
			if i%4096 == 0 && ctx.Err() != nil {
				return
			}
			index, data := g.a.Row(i)
			clear(y)
			for p, j := range index {
				floats.AddScaled(y, data[p], band.Row(int(j)))
			}
			for p, j := range index {
				floats.AddScaled(image.Row(int(j)), data[p], y)
			}
		}
		vec.Scale(1/float64(g.a.N), image.Data)
		for j := range dim {
			copy(out.RawRowView(j)[from:to], image.Row(j))
		}
	})
	return out, ctx.Err()
}
