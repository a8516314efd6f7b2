package knn

import "math"

// clear empties lists from..to: it sets k entries at infinite distance.
func (nb *Neighbors) clear(from, to int) {
	for p := from * nb.K; p < to*nb.K; p++ {
		nb.Index[p], nb.Dist2[p] = math.MaxInt32, math.Inf(1)
	}
}

// EmptyNeighbors returns n empty lists: k entries with slot math.MaxInt32 at infinite distance.
func EmptyNeighbors(n, k int) *Neighbors {
	nb := NewNeighbors(n, k)
	nb.clear(0, n)
	return nb
}

// insert inserts neighbour j at squared distance d2 into a list sorted by (distance, number), and
// drops the last entry. It reports false, without a change, if j comes after all entries.
func insert(index []int32, dist2 []float64, j int32, d2 float64) bool {
	p := len(index) - 1
	if d2 > dist2[p] || (d2 == dist2[p] && j > index[p]) {
		return false
	}
	place(index, dist2, p, j, d2)
	return true
}

// merge inserts neighbours at given squared distances.
func merge(index []int32, dist2 []float64, j []int32, d2 []float64) {
	n := len(index) // places taken, fewer if the list is new
	for n > 0 && index[n-1] == math.MaxInt32 {
		n--
	}
	for i, j := range j {
		if n == len(index) {
			insert(index, dist2, j, d2[i])
			continue
		}
		place(index, dist2, n, j, d2[i])
		n++
	}
}

// place shifts those of the first p neighbours that come after j, and inserts j before them.
func place(index []int32, dist2 []float64, p int, j int32, d2 float64) {
	for p > 0 && (d2 < dist2[p-1] || (d2 == dist2[p-1] && j < index[p-1])) {
		index[p], dist2[p] = index[p-1], dist2[p-1]
		p--
	}
	index[p], dist2[p] = j, d2
}
