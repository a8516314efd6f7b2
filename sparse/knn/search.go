package knn

import (
	"context"
	"math/bits"
	"slices"
	"sync"

	"unfold/internal/par"
	"unfold/internal/simd/tile"
	"unfold/internal/vec"
)

// search compares queries with all rows of a filter, in one direction.
type search[T vec.Float, V value] struct {
	x     vec.Matrix[T]
	p     filter[V]  // in the order of x
	works *sync.Pool // of *work[T, V]
	// sketch, if not nil, is the faster filter for few queries.
	sketch *sketch
	// Query r is row rows[r] of from, or row r if rows is nil.
	from  vec.Matrix[T]
	rows  []int32
	count int
	k     int
	// label, if not nil, excludes rows of the query's own label.
	label []int32
}

// work is the workspace of one goroutine of a search: up to tile.Width queries and their
// thresholds.
type work[T vec.Float, V value] struct {
	queries  queries[T, V]
	least    [tile.Width]V // the least value that enters each query's list
	mask     []uint64
	near     nearby    // of the first panels
	rows     []int32   // to be measured
	dist2    []float64 // and their distances
	infinite []V       // the thresholds of rows that search for nothing
	single   *singleWork
}

// workPool returns a pool of workspaces for a filter and its kind of queries.
func workPool[T vec.Float, V value](p filter[V], none V, q func() queries[T, V]) *sync.Pool {
	return &sync.Pool{New: func() any {
		return &work[T, V]{
			queries:  q(),
			mask:     make([]uint64, p.strip()*tile.Height),
			infinite: slices.Repeat([]V{none}, p.strip()*tile.Width),
		}
	}}
}

func (run *search[T, V]) query(r int) []T {
	if run.rows != nil {
		r = int(run.rows[r])
	}
	return run.from.Row(r)
}

func (run *search[T, V]) all(ctx context.Context, s Settings) (*Neighbors, error) {
	lists := EmptyNeighbors(run.count, run.k)
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

// singly is the maximum number of queries for the sketch. More queries share a scan of the panels,
// which then takes less time for each.
const singly = 3

// few searches for queries from..to: one by one with the sketch, and all together after the sketch
// has failed twice in a row.
func (run *search[T, V]) few(ctx context.Context, lists *Neighbors, from, to int) {
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

// blocks distributes the queries to goroutines. It has a value receiver, so that the search of a
// single query need not be on the heap.
func (run search[T, V]) blocks(ctx context.Context, lists *Neighbors, s Settings) {
	// Few queries are divided into smaller blocks, so that a small batch has work for all threads.
	size := tile.Height * max(1, min(tile.Width, run.count/8)/tile.Height)
	count := par.NewProgress(par.Pieces(run.count, size), s.Progress)
	par.Ranges(s.Threads, run.count, size, func(_, from, to int) {
		run.block(ctx, lists, from, to)
		count.Step()
	})
}

// block fills the empty lists of queries from..to, at most tile.Width of them.
func (run *search[T, V]) block(ctx context.Context, lists *Neighbors, from, to int) {
	w := run.works.Get().(*work[T, V])
	defer run.works.Put(w)
	for r := range to - from {
		w.queries.set(r, run.query(from+r))
		w.least[r] = run.p.lowest()
	}
	w.queries.end(to - from)
	first, end, strip := run.begin(ctx, w, lists, from, to), run.p.Count(), run.p.strip()
	for ; first < end && ctx.Err() == nil; first += strip {
		run.strip(w, lists, from, to, first, min(end, first+strip))
	}
}

// begin fills the lists of queries from..to with the nearest rows of the first panels, and returns
// the number of these panels.
func (run *search[T, V]) begin(ctx context.Context, w *work[T, V], lists *Neighbors, from, to int) (last int) {
	panels, queries, step := run.p.first()
	last = min(run.p.Count(), panels)
	if w.near.at == nil {
		w.near = newNearby(last, queries)
	}
	w.near.begin(0, last)
	for some := 0; some < to-from && ctx.Err() == nil; some += queries {
		end := min(some+queries, to-from)
		for p := 0; p < last && ctx.Err() == nil; p += step {
			for r := some; r < end; r += tile.Height {
				w.queries.near(&w.near, r, r == to-from-1, r-some, p, min(last, p+step))
			}
		}
		for i := some; i < end; i++ {
			run.nearest(w, lists, from, i, w.near.of(i-some))
		}
	}
	return last
}

// nearest fills the list of query from+r with the nearest of the first rows, by their lower bounds.
func (run *search[T, V]) nearest(w *work[T, V], lists *Neighbors, from, r int, lower []int32) {
	if run.label != nil {
		own := run.label[run.rows[from+r]]
		for j, l := range run.label[:min(len(lower), len(run.label))] {
			if l == own {
				lower[j] = furthest
			}
		}
	}
	run.mergeNear(w, lists, from, r, w.near.least(lower, run.k))
	run.mergeNear(w, lists, from, r, w.near.more(lower, run.p.limit(w.least[r])))
}

// mergeNear computes the distances of rows and inserts those that belong in the list of query
// from+r.
func (run *search[T, V]) mergeNear(w *work[T, V], lists *Neighbors, from, r int, rows []int32) {
	if len(rows) == 0 {
		return
	}
	index, dist2 := lists.Row(from + r)
	w.dist2 = slices.Grow(w.dist2[:0], len(rows))[:len(rows)]
	measure(w.dist2, run.query(from+r), run.x, rows)
	merge(index, dist2, rows, w.dist2)
	w.least[r] = w.queries.least(r, dist2[len(dist2)-1])
}

// strip compares queries from..to with panels first..last.
func (run *search[T, V]) strip(w *work[T, V], lists *Neighbors, from, to, first, last int) {
	for r := 0; r < to-from; r += tile.Height {
		rows := w.queries.scan(w.mask, r, r == to-from-1, w.least[r:], first, last, w.infinite)
		for i := r; i < min(r+rows, to-from); i++ {
			w.rows = run.others(positions(w.rows[:0], w.mask[:(last-first)*rows], i-r, rows, first), from+i)
			run.mergeNear(w, lists, from, i, w.rows)
		}
	}
}

// others removes the rows with the label of query r.
func (run *search[T, V]) others(rows []int32, r int) []int32 {
	if run.label == nil {
		return rows
	}
	own := run.label[run.rows[r]]
	return slices.DeleteFunc(rows, func(j int32) bool { return run.label[j] == own })
}

// positions appends the positions set in one line of a mask, which has several lines and starts at
// panel first.
func positions(rows []int32, mask []uint64, line, lines, first int) []int32 {
	for t := line; t < len(mask); t += lines {
		for pass := mask[t]; pass != 0; pass &= pass - 1 {
			rows = append(rows, int32((first+t/lines)*tile.Width+bits.TrailingZeros64(pass)))
		}
	}
	return rows
}
