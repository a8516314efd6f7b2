package spectral

import (
	"fmt"
	"math"

	"unfold/internal/vec"
	"unfold/sparse"
	"unfold/sparse/solve"
)

// problem is the matrix whose eigenvectors are computed: with R = diag(root), where root^2 are the
// masses, A = R^-1 Lap(W) R^-1, whose eigenvectors are R v.
type problem struct {
	w *sparse.CSR
	a *solve.Laplacian
	// root spans the kernel of A; nil if all masses are 1.
	root []float64
}

func newProblem(w *sparse.CSR, masses []float64) (*problem, error) {
	p := &problem{w: w, a: solve.NewLaplacian(w, nil)}
	if masses == nil {
		return p, nil
	}
	if len(masses) != w.N {
		return nil, fmt.Errorf("spectral: %d masses of %d points", len(masses), w.N)
	}
	p.root = make([]float64, w.N)
	for i, v := range masses {
		if !(v > 0 && v <= math.MaxFloat64) {
			return nil, fmt.Errorf("spectral: the mass of point %d is %g, want a positive number", i, v)
		}
		p.root[i] = math.Sqrt(v)
	}
	p.a = &solve.Laplacian{W: w.Clone(), Diagonal: p.a.Diagonal}
	for i, r := range p.root {
		p.a.Diagonal[i] /= r * r
		to, v := p.a.W.Row(i)
		for k, j := range to {
			v[k] /= r * p.root[j]
		}
	}
	return p, nil
}

// unscaled returns Lap(W), which the preconditioner factors because A need not be diagonally
// dominant.
func (p *problem) unscaled() *solve.Laplacian {
	if p.root == nil {
		return p.a
	}
	return solve.NewLaplacian(p.w, nil)
}

// scale sets x to R x.
func (p *problem) scale(x vec.Matrix[float64]) {
	for i, r := range p.root {
		vec.Scale(r, x.Row(i))
	}
}

// undo converts the eigenvectors x of A to the requested ones, R^-1 x.
func (p *problem) undo(x vec.Matrix[float64]) {
	for i, r := range p.root {
		vec.Scale(1/r, x.Row(i))
	}
}
