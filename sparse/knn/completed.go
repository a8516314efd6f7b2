package knn

import (
	"slices"

	"unfold/internal/par"
)

// Completed returns the lists with the points that list a point added to its own: the K
// nearest of both. Exact lists stay as they are. Of others, every pair of points that either
// list holds is then in both, unless K others are nearer; so the nearest point of each that
// any list knows is the first of its list. Distances of a pair have to be the same in both
// lists.
func (nb *Neighbors) Completed(threads int) *Neighbors {
	out := &Neighbors{N: nb.N, K: nb.K, Index: slices.Clone(nb.Index), Dist2: slices.Clone(nb.Dist2)}
	start, from := nb.listing()
	par.Ranges(threads, nb.N, givenPiece, func(_, first, end int) {
		for i := first; i < end; i++ {
			index, dist2 := out.Row(i)
			for _, j := range from[start[i]:start[i+1]] {
				if !slices.Contains(index, j) {
					near, far := nb.Row(int(j))
					insert(index, dist2, j, far[slices.Index(near, int32(i))])
				}
			}
		}
	})
	return out
}

// listing returns the points whose lists hold point i, ascending: from[start[i]:start[i+1]].
func (nb *Neighbors) listing() (start []int, from []int32) {
	start, from = make([]int, nb.N+1), make([]int32, len(nb.Index))
	for _, j := range nb.Index {
		start[j+1]++
	}
	for i := range nb.N {
		start[i+1] += start[i]
	}
	next := slices.Clone(start[:nb.N])
	for at, j := range nb.Index {
		from[next[j]] = int32(at / nb.K)
		next[j]++
	}
	return start, from
}
