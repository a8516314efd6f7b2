package pca

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/simd/tile"
	"unfold/internal/vec"
)

const (
	// manyProducts is the least number of products, n dim^2, for which single precision is worth
	// its error. In double precision they take a tenth of a second.
	manyProducts = 1 << 31
	// fewProducts is the largest number of products for which C of few columns is the same on all
	// processors.
	fewProducts = 1 << 25
	// leastShare is the smallest share of the total variance of a component for a covariance in
	// single precision. Below it, rounding errors could rotate the component.
	leastShare = 1e-4
	// stretch is the number of rows that are multiplied between two checks of the context.
	stretch = 1 << 15
)

// harmless reports whether C may be computed from products of float32: there are many, and they
// neither overflow nor underflow. As z_ij^2 <= n total, no element of x - mean exceeds 2^59.
// Products that underflow lose less than 2^-149 each.
func (c *covariance) harmless() bool {
	return c.products() >= manyProducts && float64(c.x.Rows)*c.total <= 0x1p118 && c.total >= 0x1p-60
}

// formSingle computes C by tile.Gram. The error of element (k, l) is at most 1.6e-5 sqrt(C_kk
// C_ll), usually below 1e-6 of it. An eigenvalue has an error of at most 1.6e-5 of the total
// variance.
func (c *covariance) formSingle(ctx context.Context) error {
	n, dim := c.x.Rows, c.x.Cols
	var sum vec.Matrix[float64]
	for from := 0; from < n; from += stretch {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := tile.Gram(c.x.Slice(from, min(n, from+stretch)), c.mean, c.threads)
		vec.Scale(1/float64(n), part.Data)
		if from == 0 {
			sum = part
		} else {
			vec.Axpy(1, part.Data, sum.Data)
		}
	}
	c.gram, c.full, c.single = mat.NewSymDense(dim, sum.Data), mat.NewDense(dim, dim, sum.Data), true
	return ctx.Err()
}
