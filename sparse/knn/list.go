package knn

import "math"

// clearLists makes every list empty: k places at infinite distance.
func (nb *Neighbors) clearLists() {
	for p := range nb.Index {
		nb.Index[p], nb.Dist2[p] = math.MaxInt32, math.Inf(1)
	}
}

// EmptyNeighbors returns n empty lists: k places with slot math.MaxInt32 at infinite
// distance.
func EmptyNeighbors(n, k int) *Neighbors {
	nb := NewNeighbors(n, k)
	nb.clearLists()
	return nb
}

// insert puts neighbour j at squared distance d2 into a list that is sorted by
// (distance, number), in place of the last one. It reports whether it did:
// not if j comes after all of them.
func insert(index []int32, dist2 []float64, j int32, d2 float64) bool {
	p := len(index) - 1
	if d2 > dist2[p] || (d2 == dist2[p] && j > index[p]) {
		return false
	}
	for p > 0 && (d2 < dist2[p-1] || (d2 == dist2[p-1] && j < index[p-1])) {
		index[p], dist2[p] = index[p-1], dist2[p-1]
		p--
	}
	index[p], dist2[p] = j, d2
	return true
}
