package student

import (
	"unfold/internal/vec"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// orderedPoints is the number of points from which a map is learnt in a different order of points
// (see order), so that sums over edges access nearby memory. Results differ only by rounding.
const orderedPoints = 5_000

// order lists the points of a problem by position. Consecutive points are neighbours, so that sums
// over edges access nearby memory. nil stands for the order of the input.
type order []int32

// newOrder returns a breadth-first order of points along the first k neighbours of their lists. It
// returns nil for few points.
func newOrder(nb *knn.Neighbors, k int) order {
	if nb.N < orderedPoints {
		return nil
	}
	return graph.BreadthFirst(nb, k)
}

// back returns the order that undoes o.
func (o order) back() order {
	if o == nil {
		return nil
	}
	return knn.Inverse(o)
}

// take returns the elements of v in the order o. It returns v itself if v or o is nil.
func take[T any](v []T, o order) []T {
	if o == nil || v == nil {
		return v
	}
	return vec.Pick(v, o)
}

// takeRows is take for the rows of a matrix.
func takeRows(m vec.Matrix[float64], o order) vec.Matrix[float64] {
	if o == nil || m.Rows == 0 {
		return m
	}
	return vec.Take(m, o)
}
