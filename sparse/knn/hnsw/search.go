package hnsw

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"unfold/internal/par"
	"unfold/internal/simd/dist"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// Search returns k near rows of every row of q, nearest first; see knn.Index. Distances and order
// are exact among the candidates, whose number is Settings.Ef.
func (ix *Index) Search(ctx context.Context, q vec.Matrix[float32], k int, s knn.Settings) (*knn.Neighbors, error) {
	return ix.SearchEf(ctx, q, k, ix.set.ef(k), s)
}

// SearchEf is Search with another number of candidates, at least k.
func (ix *Index) SearchEf(ctx context.Context, q vec.Matrix[float32], k, ef int, s knn.Settings) (*knn.Neighbors, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if err := ix.checkSearch(q, k); err != nil {
		return nil, err
	}
	ef = min(max(ef, k), len(ix.level))
	nb := knn.NewNeighbors(q.Rows, k)
	if q.Rows <= searchRows {
		if err := ctx.Err(); err != nil {
			return nil, stopped(err)
		}
		ix.searchRows(q, ef, nb, 0, q.Rows)
		return nb, nil
	}
	if err := ix.searchAll(ctx, q, ef, nb, s); err != nil {
		return nil, err
	}
	return nb, nil
}

// searchRows is the number of queries in one task.
const searchRows = 64

func (ix *Index) searchAll(ctx context.Context, q vec.Matrix[float32], ef int, nb *knn.Neighbors, s knn.Settings) error {
	count := par.NewProgress(par.Pieces(q.Rows, searchRows), s.Progress)
	par.Ranges(s.Threads, q.Rows, searchRows, func(_, from, to int) {
		if ctx.Err() == nil {
			ix.searchRows(q, ef, nb, from, to)
			count.Step()
		}
	})
	if err := ctx.Err(); err != nil {
		return stopped(err)
	}
	return nil
}

func stopped(err error) error { return fmt.Errorf("hnsw: search stopped: %w", err) }

func (ix *Index) checkSearch(q vec.Matrix[float32], k int) error {
	switch {
	case q.Cols != ix.dim:
		return fmt.Errorf("hnsw: queries of dimension %d for an index of dimension %d", q.Cols, ix.dim)
	case k < 1:
		return fmt.Errorf("hnsw: %d neighbours asked for, want at least 1", k)
	case k > ix.live:
		return fmt.Errorf("hnsw: %d neighbours asked for, but there are only %d rows to choose from: insert more rows or ask for fewer neighbours", k, ix.live)
	}
	if err := checkValues(q.Data[:q.Rows*q.Cols], q.Cols); err != nil {
		return fmt.Errorf("hnsw: search: %w", err)
	}
	return nil
}

// searchRows answers queries from..to.
func (ix *Index) searchRows(q vec.Matrix[float32], ef int, nb *knn.Neighbors, from, to int) {
	w := ix.pool.Get()
	w.fit(len(ix.level), ef, ix.width(0))
	for i := from; i < to; i++ {
		ix.descend(w, q.Row(i), ef)
		index, dist2 := nb.Row(i)
		ix.report(w, q.Row(i), index, dist2)
	}
	ix.pool.Put(w)
}

// descend collects the ef nearest candidates in w.pool (algorithm 5 of Malkov and Yashunin 2018).
func (ix *Index) descend(w *work, q []float32, ef int) {
	top := len(ix.roots) - 1
	ix.start(w, q, ix.roots[top])
	for layer := top; layer > 0; layer-- {
		ix.walk(w, layer, q, 1)
	}
	ix.walk(w, 0, q, ef)
}

// found is a row at its exact squared distance.
type found struct {
	d2  float64
	row int32
}

func (f found) compare(g found) int {
	return cmp.Or(cmp.Compare(f.d2, g.d2), cmp.Compare(f.row, g.row))
}

// report lists the nearest candidates by (exact squared distance, row). Candidates whose float32
// distance, minus its error bound, is too large for the list are not computed exactly.
func (ix *Index) report(w *work, q []float32, index []int32, dist2 []float64) {
	k := len(index)
	w.found = w.found[:0]
	for from := 0; from < len(w.pool); {
		to := min(len(w.pool), from+(max(k-len(w.found), 1)+3)/4*4)
		if len(w.found) >= k && dist.AtLeast(dist.DistanceOf(w.pool[from]), ix.dim) > w.found[k-1].d2 {
			break
		}
		w.number = w.number[:0]
		for _, c := range w.pool[from:to] {
			w.number = append(w.number, dist.RowOf(c))
		}
		w.exact = slices.Grow(w.exact[:0], len(w.number))[:len(w.number)]
		dist.Exact(w.exact, q, ix.rows, ix.stride, w.number)
		for i, r := range w.number {
			ix.list(w, found{w.exact[i], r}, k)
		}
		from = to
	}
	for p, f := range w.found[:k] {
		index[p], dist2[p] = f.row, f.d2
	}
}

// list inserts a row and its twins among the k nearest found so far.
func (ix *Index) list(w *work, f found, k int) {
	w.place(f, k)
	if len(ix.lastTwin) == 0 {
		return
	}
	w.kept = ix.twins(f.row, k, w.kept[:0])
	for _, t := range w.kept {
		w.place(found{f.d2, t}, k)
	}
}

// place inserts f if it is among the k nearest.
func (w *work) place(f found, k int) {
	if len(w.found) < k {
		w.found = append(w.found, f)
	} else if f.compare(w.found[k-1]) >= 0 {
		return
	}
	p := len(w.found) - 1
	for ; p > 0 && f.compare(w.found[p-1]) < 0; p-- {
		w.found[p] = w.found[p-1]
	}
	w.found[p] = f
}
