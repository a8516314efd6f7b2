package pca

import (
	"unfold/internal/simd/tile"
	"unfold/internal/vec"
)

// Projector applies a projection to any number of batches. It is immutable and
// safe for concurrent use.
type Projector struct{ linear *tile.Linear }

// NewProjector prepares z = components (x - mean), with mean of dim elements and
// components q x dim.
func NewProjector(mean []float32, components vec.Matrix[float32]) *Projector {
	c := vec.Convert[float64](vec.Of(1, len(mean), mean)).Data
	return &Projector{tile.NewLinear(c, vec.Convert[float64](components))}
}

// Projector returns the projection that p was fitted to be.
func (p *PCA) Projector() *Projector { return NewProjector(p.Mean, p.Components) }

// Dim is the number of elements of a vector before it is projected.
func (p *Projector) Dim() int { return p.linear.Dim() }

// Q is the number of elements of a projected vector.
func (p *Projector) Q() int { return p.linear.Q() }

// Apply returns the projections of the rows of x (n x dim) as n x q. It panics
// if x has another number of columns.
func (p *Projector) Apply(x vec.Matrix[float32], threads int) vec.Matrix[float32] {
	return p.linear.Apply(x, threads)
}
