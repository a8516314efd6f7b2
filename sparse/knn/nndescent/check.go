package nndescent

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// Recall compares the lists nb of a random sample of the rows of x with the true ones; sample is
// its size, or all rows if there are fewer. It returns the share of list entries that are at most
// as far as the true k-th neighbour. Each sampled row costs x.Rows distances. It returns an error
// if ctx ends.
func Recall(ctx context.Context, x vec.Matrix[float32], nb *knn.Neighbors, sample int, seed uint64, s knn.Settings) (float64, error) {
	// The trees have the streams from 0.
	rng := rand.New(rand.NewPCG(seed, 1<<63))
	rows := rng.Perm(x.Rows)[:min(sample, x.Rows)]
	truth, err := farthest(ctx, x, vec.Take(x, rows), nb.K, s)
	if err != nil {
		return 0, err
	}
	hits := 0
	for i, r := range rows {
		// The true list has the row itself, or other rows at distance 0.
		_, got := nb.Row(r)
		for _, d2 := range got {
			if d2 <= truth[i] {
				hits++
			}
		}
	}
	return float64(hits) / float64(len(rows)*nb.K), nil
}

// truthRows is the number of rows that are packed at a time for the true lists, few so that the
// check needs little memory.
const truthRows = 4000

// farthest returns the squared distance of the k-th neighbour among all for every query, which is
// itself one of the rows.
func farthest(ctx context.Context, all, q vec.Matrix[float32], k int, s knn.Settings) ([]float64, error) {
	n := all.Rows
	parts, errs := make([]*knn.Neighbors, par.Pieces(n, truthRows)), make([]error, par.Pieces(n, truthRows))
	par.Ranges(s.Threads, n, truthRows, func(piece, from, to int) {
		x := all.Slice(from, to)
		parts[piece], errs[piece] = knn.NewExactBy(s.Distance, x).Search(ctx, q, min(k+1, x.Rows), knn.Settings{Threads: 1})
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	last := make([]float64, q.Rows)
	var near []float64
	for i := range last {
		near = near[:0]
		for _, nb := range parts {
			_, dist2 := nb.Row(i)
			near = append(near, dist2...)
		}
		slices.Sort(near)
		last[i] = near[k] // the query itself is nearest, or one that equals it
	}
	return last, nil
}
