package pca

import (
	"unfold/internal/par"
	"unfold/internal/simd/tile"
	"unfold/internal/vec"
	"unfold/sparse"
)

// Projector applies a projection to any number of batches. It is immutable and
// safe for concurrent use.
type Projector struct{ linear *tile.Linear }

// NewProjector returns the Projector of z = components (x - mean), with a mean of dim elements and
// components of q x dim.
func NewProjector(mean []float32, components vec.Matrix[float32]) *Projector {
	c := vec.Convert[float64](vec.Of(1, len(mean), mean)).Data
	return &Projector{tile.NewLinear(c, vec.Convert[float64](components))}
}

// Projector returns the projection onto the components of p.
func (p *PCA) Projector() *Projector { return NewProjector(p.Mean, p.Components) }

// Dim returns the number of elements of a vector before projection.
func (p *Projector) Dim() int { return p.linear.Dim() }

// Q returns the number of elements of a projected vector.
func (p *Projector) Q() int { return p.linear.Q() }

// Apply returns the projections of the rows of x (n x dim) as n x q. It panics if rows have another
// length; a matrix without rows may have any number of columns.
func (p *Projector) Apply(x vec.Matrix[float32], threads int) vec.Matrix[float32] {
	return p.linear.Apply(x, threads)
}

// sparsePiece is the number of sparse rows in one task.
const sparsePiece = 256

// ApplySparse returns the projections of the sparse rows a (n x dim), with the same bits as Apply
// of the dense rows. The mean must be 0, as for a truncated SVD. It panics if rows have another
// length.
func (p *Projector) ApplySparse(a *sparse.Rows, threads int) vec.Matrix[float32] {
	if a.N() > 0 && a.M() != p.Dim() || !p.linear.Still() {
		panic("pca: sparse rows are projected by components of so many columns, without a mean")
	}
	z := vec.New[float32](a.N(), p.Q())
	par.Ranges(threads, a.N(), sparsePiece, func(_, from, to int) {
		for i := from; i < to; i++ {
			index, data := a.Row(i)
			p.linear.Entries(z.Row(i), index, data)
		}
	})
	return z
}
