package ivf

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/par"
	"unfold/internal/simd/sq8"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// searchRows is how many queries a goroutine takes at a time.
const searchRows = 64

// Search returns k near rows of every row of q, nearest first; see knn.Index.
// Distances are exact, and so is the order. A list is a function of the index and the
// query alone.
func (ix *Index) Search(ctx context.Context, q vec.Matrix[float32], k int, s knn.Settings) (*knn.Neighbors, error) {
	if k < 1 || k > ix.k || q.Cols != ix.x.Cols {
		return ix.other.Search(ctx, q, k, s)
	}
	nb, order := knn.NewNeighbors(q.Rows, k), ix.order(q, s.Threads)
	failed := make([]error, par.Pieces(q.Rows, searchRows))
	count := par.NewProgress(len(failed), s.Progress)
	par.Ranges(s.Threads, q.Rows, searchRows, func(piece, from, to int) {
		s := searcher{ix, q, nb, [2]*work{ix.borrow(), ix.borrow()}}
		defer ix.pool.Put(s.work[0])
		defer ix.pool.Put(s.work[1])
		at := func(o int) int {
			if order != nil {
				return int(order[o])
			}
			return o
		}
		for o := from; o < to && failed[piece] == nil && ctx.Err() == nil; o += 2 {
			if o+1 == to {
				failed[piece] = s.one(ctx, at(o))
			} else {
				failed[piece] = s.two(ctx, at(o), at(o+1))
			}
		}
		count.Step()
	})
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("ivf: search stopped: %w", err)
	}
	for _, err := range failed {
		if err != nil {
			// Which query is to blame the other index says best.
			return ix.other.Search(ctx, q, k, s)
		}
	}
	return nb, nil
}

// order returns the queries in an order in which those that look into the same cells
// are close together, so that these are in the cache; nil for few. It changes no
// answer.
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
			if w.query.Set(ix.scale, q.Row(i)) { // what has no code goes with the first
				ix.branches.Scores(s, &w.query, 0, n)
				branch[i] = first(s)
			}
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

// searcher answers queries in memory of its own.
type searcher struct {
	*Index
	q    vec.Matrix[float32]
	nb   *knn.Neighbors
	work [2]*work
}

// one answers query i.
func (s *searcher) one(ctx context.Context, i int) error {
	w := s.work[0]
	if !w.query.Set(s.scale, s.q.Row(i)) {
		return s.ask(ctx, i)
	}
	return s.answer(ctx, w, i, s.read(w))
}

// two answers queries i and j, which share what is read of cells that both look into.
func (s *searcher) two(ctx context.Context, i, j int) error {
	v, w := s.work[0], s.work[1]
	if !v.query.Set(s.scale, s.q.Row(i)) || !w.query.Set(s.scale, s.q.Row(j)) {
		if err := s.one(ctx, i); err != nil {
			return err
		}
		return s.one(ctx, j)
	}
	s.cells.ScoresOfTwo(v.near, w.near, &v.query, &w.query, 0, s.cells.Len())
	s.probe(v)
	s.probe(w)
	s.scanTwo(v, w)
	if err := s.answer(ctx, v, i, v.s[:v.places]); err != nil {
		return err
	}
	return s.answer(ctx, w, j, w.s[:w.places])
}

// answer lists the neighbours of query i by the scores of places.
func (s *searcher) answer(ctx context.Context, w *work, i int, scores []int32) error {
	index, dist2 := s.nb.Row(i)
	if s.keep(w, scores) < len(index) {
		return s.ask(ctx, i)
	}
	w.report(s.x, s.q.Row(i), index, dist2)
	return nil
}

// ask has the other index answer query i.
func (s *searcher) ask(ctx context.Context, i int) error {
	index, dist2 := s.nb.Row(i)
	far, err := s.other.Search(ctx, s.q.Slice(i, i+1), len(index), knn.Settings{Threads: 1})
	if err != nil {
		return err
	}
	copy(index, far.Index)
	copy(dist2, far.Dist2)
	return nil
}

// keep leaves in w.rows those that are to be measured, by the scores of places, and returns their number.
func (ix *Index) keep(w *work, scores []int32) int {
	found := w.least(scores, ix.kept, ix.keptBelow)
	w.rows = w.rows[:0]
	// Positions are ascending, and so are the cells they lie in.
	next, end, shift := 0, int32(0), int32(0)
	for _, at := range w.at[:found] {
		for ; at >= end; next++ {
			c := w.probed[next]
			shift = ix.start[c]*sq8.Side - w.from[next]
			end = ix.start[c+1]*sq8.Side - shift
		}
		w.rows = append(w.rows, ix.row[at+shift])
	}
	return found
}

// nearCells returns the scores of all cells.
func (ix *Index) nearCells(w *work) []int32 {
	ix.cells.Scores(w.near, &w.query, 0, ix.cells.Len())
	return w.near
}

// probe leaves the nearest cells by w.near in w.probed, ascending, and where the scores of the places in the
// i-th begin in w.from[i]; w.places is how many there are in all.
func (ix *Index) probe(w *work) {
	w.probed, w.from, w.places = w.probed[:0], w.from[:0], 0
	for _, c := range w.at[:w.least(w.near, ix.probes, ix.probesBelow)] {
		w.probed, w.from = append(w.probed, c), append(w.from, int32(w.places))
		w.places += int(ix.start[c+1]-ix.start[c]) * sq8.Side
	}
	w.grow(w.places)
}

// read probes and returns the scores of all places in the nearest cells.
func (ix *Index) read(w *work) []int32 {
	ix.nearCells(w)
	ix.probe(w)
	for i := 0; i < len(w.probed); {
		i = ix.scan(w, i, i+run(w.probed[i:], math.MaxInt32))
	}
	return w.s[:w.places]
}

// run is how many of the cells lie one behind the other, and before another: at least 1, since the first
// does.
func run(cells []int32, before int32) (n int) {
	for n = 1; n < len(cells) && cells[n] == cells[n-1]+1 && cells[n] < before; n++ {
	}
	return n
}

// scan scores the places of the i-th to the last of cells that lie one behind the other, and returns last.
func (ix *Index) scan(w *work, i, last int) int {
	c, end := w.probed[i], ix.start[w.probed[last-1]+1]
	ix.rows.Scores(w.s[w.from[i]:], &w.query, int(ix.start[c]), int(end-ix.start[c]))
	return last
}

// scanTwo scores the places of two queries' cells, ascending, those of both at once.
func (ix *Index) scanTwo(v, w *work) {
	i, j := 0, 0
	for i < len(v.probed) || j < len(w.probed) {
		a, b := int32(math.MaxInt32), int32(math.MaxInt32)
		if i < len(v.probed) {
			a = v.probed[i]
		}
		if j < len(w.probed) {
			b = w.probed[j]
		}
		switch {
		case a < b:
			i = ix.scan(v, i, i+run(v.probed[i:], b))
		case b < a:
			j = ix.scan(w, j, j+run(w.probed[j:], a))
		default:
			n := min(run(v.probed[i:], math.MaxInt32), run(w.probed[j:], math.MaxInt32))
			end := ix.start[v.probed[i+n-1]+1]
			ix.rows.ScoresOfTwo(v.s[v.from[i]:], w.s[w.from[j]:], &v.query, &w.query, int(ix.start[a]), int(end-ix.start[a]))
			i, j = i+n, j+n
		}
	}
}
