package knn

import (
	"context"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// Joined returns the lists with the nearest of the neighbours' neighbours, and of the points that
// list a neighbour, at their distances in x. Exact lists stay as they are. Others, such as those of
// an approximate search, become nearly exact: a neighbour that is missing in a list is in most
// lists nearby.
//
// The distances of nb must be those of the rows of x under s.Distance. The number of distances
// that are computed is at most N K (K+1), of lists of which each is in K others. It fails if ctx
// ends.
func Joined[T vec.Float](ctx context.Context, x vec.Matrix[T], nb *Neighbors, s Settings) (*Neighbors, error) {
	from := nb.Completed(s.Threads)
	out := &Neighbors{N: nb.N, K: nb.K, Index: slices.Clone(from.Index), Dist2: slices.Clone(from.Dist2)}
	par.Ranges(s.Threads, nb.N, joinPiece, func(_, first, end int) {
		var list []int32
		var far []float64
		for i := first; i < end && ctx.Err() == nil; i++ {
			index, dist2 := out.Row(i)
			own, _ := from.Row(i)
			list = list[:0]
			for _, j := range own {
				theirs, _ := from.Row(int(j))
				list = append(list, theirs...)
			}
			slices.Sort(list)
			list = slices.DeleteFunc(slices.Compact(list), func(j int32) bool { return int(j) == i || slices.Contains(own, j) })
			far = slices.Grow(far[:0], len(list))[:len(list)]
			distance.Exact(s.Distance, far, x.Row(i), x.Data, x.Cols, list)
			merge(index, dist2, list, far)
		}
	})
	if err := cancelled(ctx); err != nil {
		return nil, err
	}
	return out, nil
}

// joinPiece is the number of rows of one task.
const joinPiece = 64
