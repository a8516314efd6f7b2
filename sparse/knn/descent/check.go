package descent

import (
	"context"
	"math/rand/v2"

	"unfold/sparse/knn"
	"unfold/sparse/vec"
)

// check compares the lists of a sample of rows with the true ones.
func (g *grower) check(ctx context.Context, nb *knn.Neighbors) error {
	// The trees have the streams from 0.
	rng := rand.New(rand.NewPCG(g.set.Seed, 1<<63))
	rows := rng.Perm(g.x.Rows)[:g.set.Sample]
	truth, err := knn.NewExact(g.x).Search(ctx, vec.Take(g.x, rows), g.k+1, knn.Settings{Threads: g.s.Threads})
	if err != nil {
		return err
	}
	hits := 0
	for i, r := range rows {
		// The row itself is among the true ones, or as many others at
		// distance 0.
		_, want := truth.Row(i)
		_, got := nb.Row(r)
		for _, d2 := range got {
			if d2 <= want[g.k] {
				hits++
			}
		}
	}
	g.report.Sampled, g.report.Recall = len(rows), float64(hits)/float64(len(rows)*g.k)
	return nil
}
