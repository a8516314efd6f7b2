package knn

import (
	"context"
	"time"

	"unfold/internal/par"
	"unfold/sparse"
)

// These are the numbers of rows and of tries of a trial.
const timedRows, timedTries = 256, 2

// SparseSeconds predicts the time of Sparse: it searches for the neighbours of some rows, evenly
// spaced, among the first block of rows. Their time has two parts: comparisons, one for each pair
// of rows, and products, which depend on the columns that these rows share with all others. It
// takes some milliseconds to some tenths of a second.
func SparseSeconds(ctx context.Context, a *sparse.Rows, k int, s Settings) (seconds float64, err error) {
	if err := checkShape(a.N(), a.M(), k, a.N()-1); err != nil {
		return 0, err
	}
	for try := range timedTries {
		begin := time.Now()
		g, err := newInverted(a, k)
		if err != nil {
			return 0, err
		}
		g.columns = a.Columns(0, min(a.N(), invertedRows))
		begun := time.Now()
		g.some(ctx, timedRows, s.Threads)
		searched := time.Since(begun).Seconds()
		if err := cancelled(ctx); err != nil {
			return 0, err
		}
		blocks := float64(par.Pieces(a.N(), invertedRows))
		took := blocks*begun.Sub(begin).Seconds() + searched/g.share(timedRows)
		if try == 0 || took < seconds {
			seconds = took
		}
	}
	return seconds, nil
}

// some searches for the neighbours of about the given number of rows in the present block.
func (g *inverted) some(ctx context.Context, rows, threads int) {
	step := g.step(rows)
	par.Do(threads, par.Pieces(g.a.N(), step), func(i int) {
		if ctx.Err() != nil {
			return
		}
		w := g.works.Get()
		if w.products == nil {
			w.products = make([]float64, g.columns.M)
		}
		g.row(i*step, w)
		g.works.Put(w)
	})
}

// step is the distance between the rows of a trial of about the given number of rows.
func (g *inverted) step(rows int) int { return max(1, g.a.N()/rows) }

// work returns the number of comparisons and products of row i with the present block.
func (g *inverted) work(i int) int {
	n := g.columns.M
	columns, _ := g.a.Row(i)
	for _, j := range columns {
		rows, _ := g.columns.Row(j)
		n += len(rows)
	}
	return n
}

// share returns the share of some in the comparisons and products of a whole search.
func (g *inverted) share(rows int) float64 {
	some, counts, step := 0, make([]float64, g.a.M()), g.step(rows)
	for i := range g.a.N() {
		if i%step == 0 {
			some += g.work(i)
		}
		columns, _ := g.a.Row(i)
		for _, j := range columns {
			counts[j]++
		}
	}
	whole := float64(g.a.N()) * float64(g.a.N())
	for _, n := range counts {
		whole += n * n
	}
	return float64(some) / whole
}
