package knn

import "slices"

// Neighbors has the K nearest neighbours of N query points.
//
// Row i of Index and Dist2 (at i*K) lists them nearest first: the row numbers
// of the neighbours and their squared Euclidean distances. Equal distances are
// ordered by row number, so the lists are a function of the data alone.
type Neighbors struct {
	N, K  int
	Index []int32
	Dist2 []float64
}

// NewNeighbors returns n uninitialised lists of k neighbours.
func NewNeighbors(n, k int) *Neighbors {
	return &Neighbors{N: n, K: k, Index: make([]int32, n*k), Dist2: make([]float64, n*k)}
}

// Row returns the neighbours of point i, nearest first, and their squared
// distances. The slices share memory with nb.
func (nb *Neighbors) Row(i int) (index []int32, dist2 []float64) {
	return nb.Index[i*nb.K : (i+1)*nb.K : (i+1)*nb.K], nb.Dist2[i*nb.K : (i+1)*nb.K : (i+1)*nb.K]
}

// First returns the first k <= K neighbours of every point: nb itself if these are all.
func (nb *Neighbors) First(k int) *Neighbors {
	if nb.K == k {
		return nb
	}
	out := NewNeighbors(nb.N, k)
	for i := range nb.N {
		index, dist2 := nb.Row(i)
		to, length := out.Row(i)
		copy(to, index)
		copy(length, dist2)
	}
	return out
}

// InEdges returns, for every point j, the places i*K+p in Index of the edges that lead to it:
// in[start[j]:start[j+1]], ascending. Every entry of Index has to be a point.
func (nb *Neighbors) InEdges() (start, in []int) {
	start, in = make([]int, nb.N+1), make([]int, len(nb.Index))
	for _, j := range nb.Index {
		start[j+1]++
	}
	for j := range nb.N {
		start[j+1] += start[j]
	}
	next := slices.Clone(start[:nb.N])
	for e, j := range nb.Index {
		in[next[j]] = e
		next[j]++
	}
	return start, in
}
