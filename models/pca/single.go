package pca

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/simd/tile"
	"unfold/internal/vec"
)

const (
	// manyProducts is how many products C is made of, n dim^2, before single
	// precision is worth its error: a tenth of a second of double precision.
	manyProducts = 1 << 31
	// fewProducts is up to how many C of few columns is the same on all processors.
	fewProducts = 1 << 25
	// leastShare is the smallest share of the total variance that a component
	// has to have for a covariance of single precision: below, its errors could
	// turn the component.
	leastShare = 1e-4
	// stretch is how many rows are multiplied between two looks at the context.
	stretch = 1 << 15
)

// harmless reports whether products of float32 do for C: where they are many,
// and stay clear of overflow and underflow. As z_ij^2 <= n total, no element of
// x - mean exceeds 2^59; and products that underflow lose less than 2^-149 each.
func (c *covariance) harmless() bool {
	return c.products() >= manyProducts && float64(c.x.Rows)*c.total <= 0x1p118 && c.total >= 0x1p-60
}

// formSingle computes C by tile.Gram, with an error of 1.6e-5 sqrt(C_kk C_ll)
// in element (k, l) at most and usually below 1e-6 of it: 1.6e-5 of the total
// variance in an eigenvalue.
func (c *covariance) formSingle(ctx context.Context) error {
	n, dim := c.x.Rows, c.x.Cols
	sum := vec.New[float64](dim, dim)
	for from := 0; from < n; from += stretch {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := tile.Gram(c.x.Slice(from, min(n, from+stretch)), c.mean, c.threads)
		vec.Axpy(1/float64(n), part.Data, sum.Data)
	}
	c.set(mat.NewSymDense(dim, sum.Data), true)
	return ctx.Err()
}
