package knn

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sync"

	"unfold/sparse/par"
	"unfold/sparse/vec"
	"unfold/sparse/vec/tile"
)

// search compares queries with all packed rows, in one direction.
type search[T vec.Float] struct {
	x     vec.Matrix[T]
	p     *packed
	works *sync.Pool // of *work
	// sketch, if not nil, finds the neighbours of few queries faster.
	sketch *sketch
	// Query r is row rows[r] of from, or row r if rows is nil.
	from  vec.Matrix[T]
	rows  []int32
	count int
	k     int
	// label, if not nil, excludes rows of the query's own label.
	label []int32
}

// work is the workspace of one goroutine that searches: up to tile.Width
// queries and what they are compared with.
type work struct {
	queries  *tile.Panels
	z        []float32
	least    [tile.Width]float32 // what q must reach, query by query
	mask     []uint64
	seeds    *seeds    // of the last k
	infinite []float32 // the thresholds of rows that look for nothing
	single   *singleWork
}

func newWork(p *packed) *work {
	strip := stripPanels(p.Dim)
	w := &work{
		queries:  tile.NewPanels(tile.Width, p.Dim, p.Prefix),
		z:        make([]float32, p.Dim),
		mask:     make([]uint64, strip*tile.Height),
		infinite: make([]float32, strip*tile.Width),
	}
	for c := range w.infinite {
		w.infinite[c] = float32(math.Inf(1))
	}
	return w
}

// workPool returns a pool of workspaces for p.
func workPool(p *packed) *sync.Pool {
	return &sync.Pool{New: func() any { return newWork(p) }}
}

func (run *search[T]) query(r int) []T {
	if run.rows != nil {
		r = int(run.rows[r])
	}
	return run.from.Row(r)
}

func (run *search[T]) all(ctx context.Context, s Settings) (*Neighbors, error) {
	lists := NewNeighbors(run.count, run.k)
	lists.clearLists()
	if run.count <= tile.Height {
		if run.count <= singly {
			run.few(ctx, lists, 0, run.count)
		} else {
			run.block(ctx, lists, 0, run.count)
		}
		if s.Progress != nil && run.count > 0 {
			s.Progress(1, 1)
		}
	} else {
		run.blocks(ctx, lists, s)
	}
	if err := cancelled(ctx); err != nil {
		return nil, err
	}
	return lists, nil
}

// singly is the number of queries up to which the sketch is used: more of them
// share the scan of the panels, which then takes less time for each.
const singly = 3

// few searches for queries from..to: one by one by the
// sketch, and together once it has failed twice in a row.
func (run *search[T]) few(ctx context.Context, lists *Neighbors, from, to int) {
	failed := false
	for ; from < to && ctx.Err() == nil; from++ {
		switch {
		case run.single(lists, from):
			failed = false
		case failed || run.sketch == nil:
			run.block(ctx, lists, from, to)
			return
		default:
			failed = true
			run.block(ctx, lists, from, from+1)
		}
	}
}

// blocks shares the queries out among goroutines. (It works on a copy, so that
// the search of a single query need not be on the heap.)
func (run search[T]) blocks(ctx context.Context, lists *Neighbors, s Settings) {
	// Few queries are cut finer, so that a small batch has work for all threads.
	size := tile.Height * max(1, min(tile.Width, run.count/8)/tile.Height)
	count := par.NewProgress(par.Pieces(run.count, size), s.Progress)
	par.Ranges(s.Threads, run.count, size, func(_, from, to int) {
		run.block(ctx, lists, from, to)
		count.Step()
	})
}

// block fills the lists of queries from..to, at most tile.Width of them.
func (run *search[T]) block(ctx context.Context, lists *Neighbors, from, to int) {
	w := run.works.Get().(*work)
	defer run.works.Put(w)
	p := run.p
	for r := range to - from {
		start, tail := load(p, w.z, run.query(from+r))
		w.queries.Set(r, w.z, start, tail)
		_, dist2 := lists.Row(from + r)
		w.least[r] = p.threshold(dist2[len(dist2)-1])
	}
	for r := to - from; r < tile.Width; r++ {
		w.queries.Start[r] = float32(math.Inf(-1))
	}
	// Strips start small: the first rows pass while the lists are not full.
	strip := 1
	if run.label == nil && to-from > 1 && p.N > 2*run.k {
		strip = run.seed(w, lists, from, to)
	}
	end := p.Count()
	for first := 0; first < end; first, strip = first+strip, min(2*strip, stripPanels(p.Dim)) {
		if ctx.Err() != nil {
			return
		}
		run.strip(w, lists, from, to, first, min(end, first+strip))
	}
}

// seed starts the lists of queries from..to with likely neighbours among the
// first panels, and returns how many panels it has looked at.
func (run *search[T]) seed(w *work, lists *Neighbors, from, to int) (strip int) {
	strip = stripPanels(run.p.Dim)
	if w.seeds == nil || w.seeds.k != run.k {
		w.seeds = newSeeds(run.k, strip)
	}
	last := min(run.p.Count(), strip)
	for r := range to - from {
		if r%tile.Height == 0 {
			w.seeds.multiply(run.p, w.queries, r, 0, last)
		}
		for _, j := range w.seeds.likely(run.p, r%tile.Height, 0, last) {
			run.offer(w, lists, from, r, run.p.row(int(j)))
		}
	}
	return strip
}

// strip compares queries from..to with panels first..last.
func (run *search[T]) strip(w *work, lists *Neighbors, from, to, first, last int) {
	p := run.p
	for r := 0; r < to-from; r += tile.Height {
		rows := tile.Height
		if r == to-from-1 {
			rows = 1
			tile.ScanRow(p.level, w.mask, w.queries, r, w.least[r], p.Panels, first, last, w.infinite)
		} else {
			tile.Scan(p.level, w.mask, w.queries, r, w.least[r:], p.Panels, first, last, w.infinite)
		}
		run.take(w, lists, from, r, rows, first, last)
	}
}

// take offers the pairs that passed the scan of queries from+r, ... against
// panels first..last to the lists.
func (run *search[T]) take(w *work, lists *Neighbors, from, r, rows, first, last int) {
	for t, pass := range w.mask[:(last-first)*rows] {
		for ; pass != 0; pass &= pass - 1 {
			run.offer(w, lists, from, r+t%rows, run.p.row((first+t/rows)*tile.Width+bits.TrailingZeros64(pass)))
		}
	}
}

// offer puts row j into the list of query from+r if it belongs there and is not
// there already.
func (run *search[T]) offer(w *work, lists *Neighbors, from, r, j int) {
	if run.label != nil && run.label[run.rows[from+r]] == run.label[j] {
		return
	}
	index, dist2 := lists.Row(from + r)
	if slices.Contains(index, int32(j)) {
		return
	}
	if insert(index, dist2, int32(j), vec.SquaredDistance(run.query(from+r), run.x.Row(j))) {
		w.least[r] = run.p.threshold(dist2[len(dist2)-1])
	}
}
