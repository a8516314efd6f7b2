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
	start, in := nb.InEdges()
	par.Ranges(threads, nb.N, givenPiece, func(_, first, end int) {
		for i := first; i < end; i++ {
			index, dist2 := out.Row(i)
			for _, e := range in[start[i]:start[i+1]] {
				if j := int32(e / nb.K); !slices.Contains(index, j) {
					insert(index, dist2, j, nb.Dist2[e])
				}
			}
		}
	})
	return out
}
