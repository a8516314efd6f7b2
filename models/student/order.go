package student

import (
	"unfold/internal/vec"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// orderedPoints is where the places of a map no longer fit the cache that is a core's own: so
// many points and more are learnt in an order of their own. Results differ by rounding alone.
const orderedPoints = 30_000

// order are the points of a problem, by position: one after another they are neighbours, so
// that sums over edges find the far ends near by in memory. nil stands for the points' own order.
type order []int32

// newOrder returns that of points with the first k of their lists; nil of few points.
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

// take returns what points have in the order o: v itself if there is none, of either.
func take[T any](v []T, o order) []T {
	if o == nil || v == nil {
		return v
	}
	return vec.Pick(v, o)
}

// takeRows is take of rows.
func takeRows(m vec.Matrix[float64], o order) vec.Matrix[float64] {
	if o == nil || m.Rows == 0 {
		return m
	}
	return vec.Take(m, o)
}
