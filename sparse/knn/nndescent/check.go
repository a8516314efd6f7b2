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

// check compares the lists of a sample of rows with the true ones.
func (g *grower) check(ctx context.Context, nb *knn.Neighbors) error {
	// The trees have the streams from 0.
	rng := rand.New(rand.NewPCG(g.set.Seed, 1<<63))
	rows := rng.Perm(g.x.Rows)[:g.set.Sample]
	truth, err := g.truth(ctx, vec.Take(g.x, rows))
	if err != nil {
		return err
	}
	hits := 0
	for i, r := range rows {
		// The row itself is among the true ones, or as many others at
		// distance 0.
		_, got := nb.Row(r)
		for _, d2 := range got {
			if d2 <= truth[i] {
				hits++
			}
		}
	}
	g.report.Sampled, g.report.Recall = len(rows), float64(hits)/float64(len(rows)*g.k)
	return nil
}

// truthRows is how many rows are packed at a time for the truth: few, so that the
// check takes little memory.
const truthRows = 4000

// truth returns for every query the squared distance of the row that is nearest but
// k, counting the query itself.
func (g *grower) truth(ctx context.Context, q vec.Matrix[float32]) ([]float64, error) {
	n := g.x.Rows
	parts, errs := make([]*knn.Neighbors, par.Pieces(n, truthRows)), make([]error, par.Pieces(n, truthRows))
	par.Ranges(g.s.Threads, n, truthRows, func(piece, from, to int) {
		x := g.x.Slice(from, to)
		parts[piece], errs[piece] = knn.NewExact(x).Search(ctx, q, min(g.k+1, x.Rows), knn.Settings{Threads: 1})
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	last := make([]float64, q.Rows)
	var all []float64
	for i := range last {
		all = all[:0]
		for _, nb := range parts {
			_, dist2 := nb.Row(i)
			all = append(all, dist2...)
		}
		slices.Sort(all)
		last[i] = all[g.k]
	}
	return last, nil
}
