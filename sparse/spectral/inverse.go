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

// inverse is that of A beside its kernel, by a whole factor of L + shift.
type inverse struct {
	*problem
	factor  *multifrontal.Cholesky
	kernel  []float64 // of A, of unit norm
	threads int
}

// A shift is so large a part of the largest diagonal entry, the first that rounding leaves positive
// definite. Few points make a leaf of the dissection.
const (
	leastShift, mostShift = 1e-14, 1e-8
	leafPoints            = 100
)

// inverse returns that of A, or nil where its factor would take more numbers than s.Exact.
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

// apply replaces the columns of x, which have no part in the kernel, by A^-1 x.
func (v *inverse) apply(x vec.Matrix[float64]) {
	v.scale(x)
	v.factor.Solve(x, v.threads)
	v.scale(x)
	v.center(x)
}

// center takes out of the columns of x their part in the kernel.
func (v *inverse) center(x vec.Matrix[float64]) {
	part := make([]float64, x.Cols)
	for i, k := range v.kernel {
		vec.Axpy(k, x.Row(i), part)
	}
	for i, k := range v.kernel {
		vec.Axpy(-k, part, x.Row(i))
	}
}
