package baseline

import (
	"unfold/sparse/par"
	"unfold/sparse/vec"
)

// Projector applies a projection to any number of batches. It is immutable and
// safe for concurrent use.
type Projector struct {
	dim, q int
	mean   []float64
	// turned is Components transposed, dim x q: the elements of a vector are
	// taken in order, each adding its part to all q sums.
	turned []float64
}

// NewProjector prepares z = components (x - mean), with mean of dim elements and
// components q x dim.
func NewProjector(mean []float32, components vec.Matrix[float32]) *Projector {
	p := &Projector{dim: components.Cols, q: components.Rows}
	p.mean = vec.Convert[float64](vec.Of(1, len(mean), mean)).Data
	p.turned = vec.Transpose(vec.Convert[float64](components)).Data
	return p
}

// Projector returns the projection that p was fitted to be.
func (p *PCA) Projector() *Projector { return NewProjector(p.Mean, p.Components) }

// Dim is the number of elements of a vector before it is projected.
func (p *Projector) Dim() int { return p.dim }

// Q is the number of elements of a projected vector.
func (p *Projector) Q() int { return p.q }

// Apply returns the projections of the rows of x (n x dim) as n x q. It panics
// if x has another number of columns.
func (p *Projector) Apply(x vec.Matrix[float32], threads int) vec.Matrix[float32] {
	if x.Cols != p.dim {
		panic("baseline: a projection of vectors of another dimension")
	}
	const size = 64
	out := vec.New[float32](x.Rows, p.q)
	par.Ranges(threads, x.Rows, size, func(_, from, to int) {
		sum := make([]float64, p.q)
		for i := from; i < to; i++ {
			p.row(sum, x.Row(i))
			z := out.Row(i)
			for j, s := range sum {
				z[j] = float32(s)
			}
		}
	})
	return out
}

// row sets sum_j = sum_k V_jk (x_k - m_k), added up in the order of k. Four
// elements are taken in one pass over the sums, which changes the number of
// loads and stores but not the order of additions.
func (p *Projector) row(sum []float64, x []float32) {
	clear(sum)
	q, k := p.q, 0
	for ; k+4 <= p.dim; k += 4 {
		c0, c1 := float64(x[k])-p.mean[k], float64(x[k+1])-p.mean[k+1]
		c2, c3 := float64(x[k+2])-p.mean[k+2], float64(x[k+3])-p.mean[k+3]
		w0 := p.turned[k*q:][:len(sum)]
		w1 := p.turned[(k+1)*q:][:len(sum)]
		w2 := p.turned[(k+2)*q:][:len(sum)]
		w3 := p.turned[(k+3)*q:][:len(sum)]
		for j, s := range sum {
			// The conversions keep a compiler from fusing product and sum.
			s += float64(c0 * w0[j])
			s += float64(c1 * w1[j])
			s += float64(c2 * w2[j])
			s += float64(c3 * w3[j])
			sum[j] = s
		}
	}
	for ; k < p.dim; k++ {
		c := float64(x[k]) - p.mean[k]
		w := p.turned[k*q:][:len(sum)]
		for j := range sum {
			sum[j] += float64(c * w[j])
		}
	}
}
