package spectral

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"unfold/internal/vec"
	"unfold/sparse/multifrontal"
	"unfold/sparse/solve"
)

// preconditioner sets z to about L^-1 r, both n x m.
type preconditioner interface {
	Apply(z, r vec.Matrix[float64])
}

// factor returns that of Lap(W) for m columns.
func (p *problem) factor(ctx context.Context, m int, s Settings) (preconditioner, error) {
	l := p.unscaled()
	if s.Exact > 0 {
		lists := make([][]int32, l.W.N)
		for i := range lists {
			lists[i], _ = l.W.Row(i)
		}
		tree := multifrontal.Dissect(lists, leafPoints)
		if held, _ := tree.CholeskyNumbers(); held <= s.Exact {
			return newExact(ctx, tree, l, s.Threads)
		}
	}
	return solve.NewFactor(l, m, s.Seed, s.Threads), nil
}

// exact is the factor of L + shift, which unlike L is not singular.
type exact struct {
	*multifrontal.Cholesky
	threads int
}

// A shift is so large a part of the largest diagonal entry, the first that rounding leaves positive
// definite. Few points make a leaf of the dissection.
const (
	leastShift, mostShift = 1e-14, 1e-8
	leafPoints            = 100
)

func newExact(ctx context.Context, tree *multifrontal.Tree, l *solve.Laplacian, threads int) (*exact, error) {
	diagonal, largest := make([]float64, l.W.N), slices.Max(l.Diagonal)
	for shift := leastShift; ; shift *= 10 {
		for i, v := range l.Diagonal {
			diagonal[i] = v + shift*largest
		}
		c, err := tree.Cholesky(ctx, l.W, diagonal, threads)
		var bad *multifrontal.IndefiniteError
		switch {
		case err == nil:
			return &exact{c, threads}, nil
		case !errors.As(err, &bad):
			return nil, err
		case shift >= mostShift:
			return nil, fmt.Errorf("spectral: a matrix that should be positive semi-definite: %w", err)
		}
	}
}

// Apply implements preconditioner.
func (e *exact) Apply(z, r vec.Matrix[float64]) {
	copy(z.Data, r.Data)
	e.Solve(z, e.threads)
}
