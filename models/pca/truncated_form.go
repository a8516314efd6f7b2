package pca

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse"
)

// sparseFormOf returns the form that Truncated uses: the products of rows if there are clearly fewer
// rows than columns, since all but their number of vectors then have as many elements as there are
// rows; otherwise C, formed for few columns. Products of many rows are not formed either.
func sparseFormOf(n, dim, q int) Form {
	switch {
	case dim > maxDense && 2*n <= dim:
		return Dual
	case dim <= maxGram || direct(dim, q):
		return Primal
	}
	return Applied
}

// formPieces is the number of rows of a formed matrix in one task.
const formPieces = 32

// form returns C. Each task has a range of its rows, so that every element is one sum over the rows
// in order.
func (g *gram) form(ctx context.Context) (*products, error) {
	dim := g.a.M()
	c := mat.NewSymDense(dim, nil)
	raw := c.RawSymmetric()
	par.Ranges(g.threads, dim, formPieces, func(_, from, to int) {
		for i := range g.a.N() {
			if i%4096 == 0 && ctx.Err() != nil {
				return
			}
			index, data := g.a.Row(i)
			for p, _ := slices.BinarySearch(index, from); p < len(index) && index[p] < to; p++ {
				out := raw.Data[index[p]*raw.Stride:][:dim]
				for k := p; k < len(index); k++ {
					out[index[k]] += data[p] * data[k]
				}
			}
		}
	})
	return g.formed(ctx, c)
}

// formDual returns G = A A'/n, which has the nonzero eigenvalues of C (products).
func (g *gram) formDual(ctx context.Context) (*products, error) {
	n := g.a.N()
	c := mat.NewSymDense(n, nil)
	raw := c.RawSymmetric()
	par.Ranges(g.threads, n, formPieces, func(_, from, to int) {
		full := make([]float64, g.a.M())
		for i := from; i < to && ctx.Err() == nil; i++ {
			index, data := g.a.Row(i)
			for p, j := range index {
				full[j] = data[p]
			}
			out := raw.Data[i*raw.Stride:][:n]
			for k := i; k < n; k++ {
				out[k] = sparseDot(g.a, k, full)
			}
			for _, j := range index {
				full[j] = 0
			}
		}
	})
	return g.formed(ctx, c)
}

// sparseDot returns the product of a sparse row with a full vector.
func sparseDot(a *sparse.Rows, row int, full []float64) (sum float64) {
	index, data := a.Row(row)
	for p, j := range index {
		sum += data[p] * full[j]
	}
	return sum
}

// formed divides the upper half of a sum by the number of rows.
func (g *gram) formed(ctx context.Context, sum *mat.SymDense) (*products, error) {
	vec.Scale(1/float64(g.a.N()), sum.RawSymmetric().Data)
	return &products{g: sum, full: mat.DenseCopyOf(sum), threads: g.threads}, ctx.Err()
}

// formedCovariance is C as a matrix, whose residuals need no correction.
type formedCovariance struct{ *products }

func (formedCovariance) weight(_, _ float64) float64 { return 1 }

// rowProducts is G of many sparse rows, given by its products.
type rowProducts struct{ *gram }

func (r rowProducts) order() int { return r.a.N() }

func (r rowProducts) weight(value, first float64) float64 {
	return (*products)(nil).weight(value, first)
}

// apply returns G u for u (n x m). A task computes some columns of u.
func (r rowProducts) apply(ctx context.Context, u *mat.Dense) (*mat.Dense, error) {
	n, m := u.Dims()
	out := mat.NewDense(n, m, nil)
	par.Ranges(r.threads, m, bandColumns, func(_, from, to int) {
		image := vec.New[float64](r.a.M(), to-from)
		for i := range n {
			if i%4096 == 0 && ctx.Err() != nil {
				return
			}
			index, data := r.a.Row(i)
			for p, j := range index {
				floats.AddScaled(image.Row(j), data[p]/float64(n), u.RawRowView(i)[from:to])
			}
		}
		for i := range n {
			index, data := r.a.Row(i)
			y := out.RawRowView(i)[from:to]
			for p, j := range index {
				floats.AddScaled(y, data[p], image.Row(j))
			}
		}
	})
	return out, ctx.Err()
}

// dual computes the q leading eigenvectors of C from those of G, u: A'u/|A'u|.
func (g *gram) dual(ctx context.Context, q int, s Settings) (*PCA, error) {
	n := g.a.N()
	few := min(q, n)
	var op operator = rowProducts{g}
	var values []float64
	var u *mat.Dense
	var rounds int
	var residual float64
	if n <= maxGram || direct(n, few) {
		formed, err := g.formDual(ctx)
		if err != nil {
			return nil, err
		}
		if op, s.wide = formed, wide(n, few); whole(n, few) {
			values, u, err = leading(formed.g, few)
		}
		if err != nil {
			return nil, err
		}
	}
	if u == nil {
		var err error
		if values, u, rounds, residual, err = iterate(ctx, op, few, g.threads, s); err != nil {
			return nil, err
		}
	}
	v := g.spread(u, q)
	// The images of orthonormal eigenvectors are orthogonal up to rounding, relative to the first.
	const accurate = 1e-9
	if few < q || values[q-1] < accurate*values[0] {
		var err error
		if values, v, residual, err = rayleighRitz(ctx, g, orthonormal(v), q, q, g.threads); err != nil {
			return nil, err
		}
	} else {
		for k := range q {
			length := 1 / math.Sqrt(float64(n)*values[k])
			for j := range g.a.M() {
				v.Set(j, k, length*v.At(j, k))
			}
		}
	}
	p := collect(values, v, q)
	p.Iterations, p.Residual = rounds, residual
	return p, nil
}

// spread returns A'u for the first q columns of u, dim x q, padded with columns of zeros.
func (g *gram) spread(u *mat.Dense, q int) *mat.Dense {
	_, have := u.Dims()
	out := mat.NewDense(g.a.M(), q, nil)
	few := min(q, have)
	par.Ranges(g.threads, few, bandColumns, func(_, from, to int) {
		for i := range g.a.N() {
			index, data := g.a.Row(i)
			for p, j := range index {
				floats.AddScaled(out.RawRowView(j)[from:to], data[p], u.RawRowView(i)[from:to])
			}
		}
	})
	return out
}
