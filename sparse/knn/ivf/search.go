package ivf

import (
	"context"
	"fmt"

	"unfold/internal/par"
	"unfold/internal/simd/sq8"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// searchRows is the number of queries in one task.
const searchRows = 64

// Search returns k near rows of every row of q, nearest first; see knn.Index. Distances and their
// order are exact. A list depends only on the index and the query.
func (ix *Index) Search(ctx context.Context, q vec.Matrix[float32], k int, s knn.Settings) (*knn.Neighbors, error) {
	if err := knn.CheckQueries(ix.x.Rows, ix.x.Cols, q, k, s.Threads); err != nil {
		return nil, err
	}
	nb, order := knn.NewNeighbors(q.Rows, k), ix.order(q, s.Threads)
	count := par.NewProgress(par.Pieces(q.Rows, searchRows), s.Progress)
	par.Ranges(s.Threads, q.Rows, searchRows, func(_, from, to int) {
		w := ix.borrow()
		defer ix.pool.Put(w)
		for o := from; o < to && ctx.Err() == nil; o++ {
			i := o
			if order != nil {
				i = int(order[o])
			}
			ix.one(w, q.Row(i), nb, i)
		}
		count.Step()
	})
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("ivf: search stopped: %w", err)
	}
	return nb, nil
}

// order returns the queries ordered so that those with the same cells are close together, which
// keeps the cells in the cache; nil for few queries. It does not change results.
func (ix *Index) order(q vec.Matrix[float32], threads int) []int32 {
	if q.Rows <= searchRows {
		return nil
	}
	n := ix.branches.Len()
	branch := make([]int32, q.Rows)
	par.Ranges(threads, q.Rows, 16*searchRows, func(_, from, to int) {
		w := ix.borrow()
		defer ix.pool.Put(w)
		s := make([]int32, n*sq8.Side)
		for i := from; i < to; i++ {
			ix.code(w, q.Row(i))
			ix.branches.Scores(s, &w.query, 0, n)
			branch[i] = first(s)
		}
	})
	start := make([]int32, n*sq8.Side+1)
	for _, b := range branch {
		start[b+1]++
	}
	for b := range start[1:] {
		start[b+1] += start[b]
	}
	order := make([]int32, q.Rows)
	for i, b := range branch {
		order[start[b]] = int32(i)
		start[b]++
	}
	return order
}

// strange is the factor by which a search reads more for a query far outside the range of the rows,
// since its code is coarser.
const strange = 4

// code stores the code of a query in w.query, and reports whether it is as fine as those of the
// rows.
func (ix *Index) code(w *work, query []float32) bool {
	if w.query.Set(ix.scale, query) {
		return true
	}
	w.query.SetFar(ix.scale, query)
	return false
}

// one fills list i with the neighbours of a query.
func (ix *Index) one(w *work, query []float32, nb *knn.Neighbors, i int) {
	index, dist2 := nb.Row(i)
	times := par.Pieces(len(index), ix.k)
	if !ix.code(w, query) {
		times *= strange
	}
	for ix.pass(w, times); len(w.rows) < len(index); ix.pass(w, times) {
		times *= 2
	}
	w.report(ix.x, query, index, dist2)
}

// pass stores in w.rows the rows to compute exactly: times the number for k neighbours.
func (ix *Index) pass(w *work, times int) {
	found := w.least(ix.read(w, times), min(times*ix.kept, ix.x.Rows), ix.keptBelow)
	w.rows = w.rows[:0]
	// Positions are ascending, and so are their cells.
	next, end, shift := 0, int32(0), int32(0)
	for _, at := range w.at[:found] {
		for ; at >= end; next++ {
			c := w.probed[next]
			shift = ix.start[c]*sq8.Side - w.from[next]
			end = ix.start[c+1]*sq8.Side - shift
		}
		w.rows = append(w.rows, ix.row[at+shift])
	}
}

// nearCells returns the scores of all cells.
func (ix *Index) nearCells(w *work) []int32 {
	ix.cells.Scores(w.near, &w.query, 0, ix.cells.Len())
	return w.near
}

// read stores the nearest cells in w.probed, ascending: times the number for k neighbours. It
// returns the scores of their places; those of the i-th cell start at w.from[i].
func (ix *Index) read(w *work, times int) []int32 {
	w.probed, w.from = w.probed[:0], w.from[:0]
	n := 0
	for _, c := range w.at[:w.least(ix.nearCells(w), min(times*ix.probes, len(ix.start)-1), ix.probesBelow)] {
		w.probed, w.from = append(w.probed, c), append(w.from, int32(n))
		n += int(ix.start[c+1]-ix.start[c]) * sq8.Side
	}
	w.grow(n)
	for i := 0; i < len(w.probed); {
		// Neighbouring cells are stored next to each other.
		c, at := w.probed[i], w.from[i]
		for i++; i < len(w.probed) && w.probed[i] == w.probed[i-1]+1; {
			i++
		}
		end := ix.start[w.probed[i-1]+1]
		ix.rows.Scores(w.s[at:], &w.query, int(ix.start[c]), int(end-ix.start[c]))
	}
	return w.s[:n]
}
