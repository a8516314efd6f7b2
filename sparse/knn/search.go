package knn

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sync"

	"unfold/internal/par"
	"unfold/internal/simd/tile"
	"unfold/internal/vec"
)

// search compares queries with all packed rows, in one direction.
type search[T vec.Float] struct {
	x     vec.Matrix[T]
	p     *packed    // in the order of x
	works *sync.Pool // of *work
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
type work struct {
	queries  *tile.Panels
	z        []float32
	least    [tile.Width]float32 // the least product that enters each query's list
	mask     []uint64
	near     nearby    // of the first panels
	rows     []int32   // to be measured
	dist2    []float64 // and their distances
	infinite []float32 // the thresholds of rows that search for nothing
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

// blocks distributes the queries to goroutines. It has a value receiver, so that the search of a
// single query need not be on the heap.
func (run search[T]) blocks(ctx context.Context, lists *Neighbors, s Settings) {
	// Few queries are divided into smaller blocks, so that a small batch has work for all threads.
	size := tile.Height * max(1, min(tile.Width, run.count/8)/tile.Height)
	count := par.NewProgress(par.Pieces(run.count, size), s.Progress)
	par.Ranges(s.Threads, run.count, size, func(_, from, to int) {
		run.block(ctx, lists, from, to)
		count.Step()
	})
}

// block fills the empty lists of queries from..to, at most tile.Width of them.
func (run *search[T]) block(ctx context.Context, lists *Neighbors, from, to int) {
	w := run.works.Get().(*work)
	defer run.works.Put(w)
	p := run.p
	for r := range to - from {
		start, tail := load(p, w.z, run.query(from+r))
		w.queries.Set(r, w.z, start, tail)
		w.least[r] = lowest
	}
	for r := to - from; r < tile.Width; r++ {
		w.queries.Start[r] = float32(math.Inf(-1))
	}
	first, end, strip := run.begin(ctx, w, lists, from, to), p.Count(), stripPanels(p.Dim)
	for ; first < end && ctx.Err() == nil; first += strip {
		run.strip(w, lists, from, to, first, min(end, first+strip))
	}
}

// begin fills the lists of queries from..to with the nearest rows of the first panels, and returns
// the number of these panels.
func (run *search[T]) begin(ctx context.Context, w *work, lists *Neighbors, from, to int) (last int) {
	last = min(run.p.Count(), run.p.chunk)
	if w.near.at == nil {
		w.near = newNearby(last)
	}
	for r := 0; r < to-from && ctx.Err() == nil; r += tile.Height {
		w.near.compare(run.p, w.queries, r, r == to-from-1, 0, last)
		for i := r; i < min(r+tile.Height, to-from); i++ {
			run.nearest(w, lists, from, i, w.near.of(i-r))
		}
	}
	return last
}

// nearest fills the list of query from+r with the nearest of the first rows, by their lower bounds.
func (run *search[T]) nearest(w *work, lists *Neighbors, from, r int, lower []int32) {
	if run.label != nil {
		own := run.label[run.rows[from+r]]
		for j, l := range run.label[:min(len(lower), len(run.label))] {
			if l == own {
				lower[j] = furthest
			}
		}
	}
	run.mergeNear(w, lists, from, r, w.near.least(lower, run.k))
	run.mergeNear(w, lists, from, r, w.near.more(lower, w.least[r]))
}

// mergeNear computes the distances of rows and inserts those that belong in the list of query
// from+r.
func (run *search[T]) mergeNear(w *work, lists *Neighbors, from, r int, rows []int32) {
	if len(rows) == 0 {
		return
	}
	index, dist2 := lists.Row(from + r)
	w.dist2 = slices.Grow(w.dist2[:0], len(rows))[:len(rows)]
	measure(w.dist2, run.query(from+r), run.x, rows)
	merge(index, dist2, rows, w.dist2)
	w.least[r] = run.p.threshold(dist2[len(dist2)-1])
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
		for i := r; i < min(r+rows, to-from); i++ {
			w.rows = run.others(positions(w.rows[:0], w.mask[:(last-first)*rows], i-r, rows, first), from+i)
			run.mergeNear(w, lists, from, i, w.rows)
		}
	}
}

// others removes the rows with the label of query r.
func (run *search[T]) others(rows []int32, r int) []int32 {
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
