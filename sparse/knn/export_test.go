package knn

import "unfold/sparse/vec"

// NewExactSketched is NewExact with a sketch of even the fewest rows.
func NewExactSketched(x vec.Matrix[float32]) *Exact { return newExact(x, 1) }
