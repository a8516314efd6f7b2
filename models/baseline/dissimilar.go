package baseline

import (
	"unfold/internal/par"
	"unfold/internal/simd/exp"
	"unfold/internal/simd/pairwise"
	"unfold/internal/vec"
)

// dissimilar sets a (m) to the dissimilarities of a vector from all learnt ones, or all landmarks, each
// plus the same number, which (2) does not see; near are the nearest learnt ones.
type dissimilar func(a, y []float64, near []int32)

// products are those of classical scaling: a_j = |y - y_j|^2 - |y|^2 is -2 y'y_j plus
// |y_j|^2, of which (2) removes what does not depend on y. So a place is linear in y.
func products(y vec.Matrix[float64]) dissimilar {
	return func(a, z []float64, _ []int32) {
		for j := range a {
			a[j] = -2 * vec.Dot(z, y.Row(j))
		}
	}
}

// kernels are those of kernel principal components of a width w, with
// k(y, y_j) = exp(-|y - y_j|^2/(q w^2)).
func kernels(y vec.Matrix[float64], w float64) dissimilar {
	extent, columns := float64(y.Cols)*w*w, columnsOf(y)
	return func(a, z []float64, _ []int32) {
		pairwise.Distances(a, z, columns)
		vec.Scale(-1/extent, a)
		exp.Exp(a, a)
		vec.Scale(-2, a)
	}
}

// squares are the dissimilarities of all learnt vectors, m x m.
func (d dissimilar) squares(y vec.Matrix[float64], threads int) vec.Matrix[float64] {
	a := vec.New[float64](y.Rows, y.Rows)
	par.Ranges(threads, y.Rows, 8, func(_, from, to int) {
		for i := from; i < to; i++ {
			d(a.Row(i), y.Row(i), []int32{int32(i)})
		}
	})
	return a
}
