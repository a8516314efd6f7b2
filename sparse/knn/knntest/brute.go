// Package knntest tests nearest neighbour indexes: it has the plain double loop as the oracle,
// difficult point sets, and a conformance suite.
//
// The test of an index is
//
//	func TestConformance(t *testing.T) {
//		knntest.Conformance(t, knntest.Options{Exact: true}, func(x vec.Matrix[float32]) knn.Index {
//			return knn.NewExact(x)
//		})
//	}
package knntest

import (
	"cmp"
	"slices"

	"unfold/internal/vec"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
)

// Brute returns the k nearest rows of x for every row of q by sorting all distances by (squared
// distance, row number). Pairs for which skip, if not nil, returns true are skipped; each query
// must keep at least k rows.
func Brute[T vec.Float](x, q vec.Matrix[T], k int, skip func(query, row int) bool) *knn.Neighbors {
	return BruteBy(distance.Euclidean, x, q, k, skip)
}

// BruteBy is Brute under a distance.
func BruteBy[T vec.Float](d distance.Distance, x, q vec.Matrix[T], k int, skip func(query, row int) bool) *knn.Neighbors {
	nb := knn.NewNeighbors(q.Rows, k)
	type found struct {
		row int32
		d2  float64
	}
	all := make([]found, 0, x.Rows)
	for r := range q.Rows {
		all = all[:0]
		for i := range x.Rows {
			if skip == nil || !skip(r, i) {
				all = append(all, found{int32(i), distance.Between(d, q.Row(r), x.Row(i))})
			}
		}
		slices.SortFunc(all, func(a, b found) int {
			return cmp.Or(cmp.Compare(a.d2, b.d2), cmp.Compare(a.row, b.row))
		})
		index, dist2 := nb.Row(r)
		for p := range index {
			index[p], dist2[p] = all[p].row, all[p].d2
		}
	}
	return nb
}

// BruteGraph is Brute among the rows of x themselves, without each row itself.
func BruteGraph[T vec.Float](x vec.Matrix[T], k int) *knn.Neighbors {
	return BruteGraphBy(distance.Euclidean, x, k)
}

// BruteGraphBy is BruteGraph under a distance.
func BruteGraphBy[T vec.Float](d distance.Distance, x vec.Matrix[T], k int) *knn.Neighbors {
	return BruteBy(d, x, x, k, func(i, j int) bool { return i == j })
}

// Equal reports whether two results are the same, bit for bit.
func Equal(a, b *knn.Neighbors) bool {
	return a.N == b.N && a.K == b.K && slices.Equal(a.Index, b.Index) && slices.Equal(a.Dist2, b.Dist2)
}

// Share returns the share of listed neighbours that are at most as far as the true k-th neighbour.
func Share(got, want *knn.Neighbors) float64 {
	hits := 0
	for i := range got.N {
		_, g := got.Row(i)
		_, w := want.Row(i)
		for _, d2 := range g {
			if d2 <= w[want.K-1] {
				hits++
			}
		}
	}
	return float64(hits) / float64(got.N*got.K)
}
