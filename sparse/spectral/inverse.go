package spectral

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/sparse/multifrontal"
	"unfold/sparse/solve"
)

// inverse is the inverse of A outside its kernel, by a complete factor of L + shift.
type inverse struct {
	*problem
	factor  *multifrontal.Cholesky
	kernel  []float64 // of A, of unit norm
	threads int
}

// The shift is the first of these parts of the largest diagonal entry for which the matrix is
// positive definite in spite of rounding. Leaves of the dissection have few points.
const (
	leastShift, mostShift = 1e-14, 1e-8
	leafPoints            = 100
)

// inverse returns the inverse of A, or nil if its factor would exceed s.Exact numbers.
func (p *problem) inverse(ctx context.Context, s Settings) (*inverse, error) {
	if s.Exact <= 0 {
		return nil, nil
	}
	l := p.unscaled()
	lists := make([][]int32, l.W.N)
	for i := range lists {
		lists[i], _ = l.W.Row(i)
	}
	tree := multifrontal.Dissect(lists, leafPoints)
	if _, most, _ := tree.CholeskyNumbers(); most > s.Exact {
		return nil, nil
	}
	factor, err := shifted(ctx, tree, l, s.Threads)
	if err != nil {
		return nil, err
	}
	v := &inverse{p, factor, slices.Clone(p.root), s.Threads}
	if v.kernel == nil {
		v.kernel = slices.Repeat([]float64{1}, l.W.N)
	}
	vec.Scale(1/math.Sqrt(vec.SquaredNorm(v.kernel)), v.kernel)
	return v, nil
}

// shifted factors L + shift, which unlike L is not singular.
func shifted(ctx context.Context, tree *multifrontal.Tree, l *solve.Laplacian, threads int) (*multifrontal.Cholesky, error) {
	diagonal, largest := make([]float64, l.W.N), slices.Max(l.Diagonal)
	for shift := leastShift; ; shift *= 10 {
		for i, v := range l.Diagonal {
			diagonal[i] = v + shift*largest
		}
		factor, err := tree.Cholesky(ctx, l.W, diagonal, threads)
		var bad *multifrontal.IndefiniteError
		switch {
		case err == nil || !errors.As(err, &bad):
			return factor, err
		case shift >= mostShift:
			return nil, fmt.Errorf("spectral: a matrix that should be positive semi-definite: %w", err)
		}
	}
}

// apply replaces the columns of x, which must have no part in the kernel, by A^-1 x.
func (v *inverse) apply(x vec.Matrix[float64]) {
	v.scale(x)
	v.factor.Solve(x, v.threads)
	v.scale(x)
	v.center(x)
}

// center removes the part in the kernel from the columns of x.
func (v *inverse) center(x vec.Matrix[float64]) {
	part := make([]float64, x.Cols)
	for i, k := range v.kernel {
		vec.Axpy(k, x.Row(i), part)
	}
	for i, k := range v.kernel {
		vec.Axpy(-k, part, x.Row(i))
	}
}
