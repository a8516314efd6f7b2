package knn

import (
	"context"
	"fmt"
	"math"
	"sync"

	"unfold/sparse/par"
	"unfold/sparse/vec"
)

// Exact is an Index that gives the true nearest rows. Building it costs one
// pass over the rows and a float32 copy of them. It is immutable.
type Exact struct {
	x vec.Matrix[float32]
	p *packed
	// bad is what every search returns if the rows themselves are unusable.
	bad error
}

var _ Index = (*Exact)(nil)

// NewExact returns an index over the rows of x, which must not change
// afterwards. If a value of x is not finite, Search fails with a *ValueError.
func NewExact(x vec.Matrix[float32]) *Exact {
	e := &Exact{x: x}
	if err := checkValues(x, 0); err != nil {
		e.bad = fmt.Errorf("knn: index: %w", err)
		return e
	}
	e.p = pack(x, 0)
	return e
}

// Len returns the number of rows.
func (e *Exact) Len() int { return e.x.Rows }

// Dim returns the dimension of the rows.
func (e *Exact) Dim() int { return e.x.Cols }

// Search returns the k nearest rows of every row of q (q.Rows x Dim), nearest
// first; see Index. Each list is a function of the index and the one query.
func (e *Exact) Search(ctx context.Context, q vec.Matrix[float32], k int, s Settings) (*Neighbors, error) {
	if e.bad != nil {
		return nil, e.bad
	}
	if q.Cols != e.x.Cols {
		return nil, fmt.Errorf("knn: queries of dimension %d for an index of dimension %d", q.Cols, e.x.Cols)
	}
	if err := checkShape(e.x.Rows, e.x.Cols, k, e.x.Rows); err != nil {
		return nil, err
	}
	if err := checkValues(q, s.Threads); err != nil {
		return nil, err
	}
	run := search[float32]{x: e.x, p: e.p, query: q.Row, count: q.Rows, k: k}
	return run.all(ctx, s)
}

// Foreign returns, for every row number in rows, the k nearest rows of x whose
// label differs from its own; list r belongs to rows[r]. It fails if there are
// fewer than k such rows for one of them. It is what joins the components of a
// neighbourhood graph.
func Foreign[T vec.Float](ctx context.Context, x vec.Matrix[T], rows, label []int32, k int, s Settings) (*Neighbors, error) {
	if err := checkShape(x.Rows, x.Cols, k, x.Rows-1); err != nil {
		return nil, err
	}
	if len(label) != x.Rows {
		return nil, fmt.Errorf("knn: %d labels for %d rows", len(label), x.Rows)
	}
	size := map[int32]int{}
	for _, l := range label {
		size[l]++
	}
	for _, i := range rows {
		if i < 0 || int(i) >= x.Rows {
			return nil, fmt.Errorf("knn: row %d of %d asked for", i, x.Rows)
		}
		if others := x.Rows - size[label[i]]; others < k {
			return nil, fmt.Errorf("knn: row %d: %d neighbours of another label asked for, but there are only %d such rows", i, k, others)
		}
	}
	if err := checkValues(x, s.Threads); err != nil {
		return nil, err
	}
	run := search[T]{
		x: x, p: pack(x, s.Threads), count: len(rows), k: k,
		query: func(r int) []T { return x.Row(int(rows[r])) },
		skip:  func(r, j int) bool { return label[rows[r]] == label[j] },
	}
	return run.all(ctx, s)
}

// search compares queries with all packed rows, in one direction.
type search[T vec.Float] struct {
	x     vec.Matrix[T]
	p     *packed
	query func(r int) []T
	count int
	k     int
	// skip, if not nil, excludes row j from the list of query r.
	skip func(r, j int) bool
}

func (run *search[T]) all(ctx context.Context, s Settings) (*Neighbors, error) {
	lists := NewNeighbors(run.count, run.k)
	lists.clearLists()
	// Few queries are cut finer, so that a small batch has work for all threads.
	rows := min(tileRows, max(8, run.count/16))
	count := progress{total: par.Pieces(run.count, rows), hook: s.Progress}
	tiles := sync.Pool{New: func() any { return newTile(run.p, rows) }}
	par.Ranges(s.Threads, run.count, rows, func(_, from, to int) {
		w := tiles.Get().(*tile)
		run.block(ctx, w, lists, from, to)
		tiles.Put(w)
		count.step()
	})
	if err := cancelled(ctx); err != nil {
		return nil, err
	}
	return lists, nil
}

// block fills the lists of queries from..to, at most tileRows of them.
func (run *search[T]) block(ctx context.Context, w *tile, lists *Neighbors, from, to int) {
	p := run.p
	var least [tileRows]float32
	for r := from; r < to; r++ {
		w.half[r-from] = load(p, w.rows[(r-from)*p.dim:(r-from+1)*p.dim], run.query(r))
		least[r-from] = float32(math.Inf(-1))
	}
	for t := range par.Pieces(p.n, panelCols) {
		if t%16 == 0 && ctx.Err() != nil {
			return
		}
		cols := w.multiply(p, 0, to-from, t)
		for r := from; r < to; r++ {
			least[r-from] = run.scan(w.q[(r-from)*panelCols:][:cols], lists, r, t*panelCols, least[r-from])
		}
	}
}

// scan offers the rows first, first+1, ... to the list of query r and returns
// what q must reach from now on.
func (run *search[T]) scan(q []float32, lists *Neighbors, r, first int, least float32) float32 {
	for c, v := range q {
		if v < least {
			continue
		}
		j := first + c
		if run.skip != nil && run.skip(r, j) {
			continue
		}
		index, dist2 := lists.Row(r)
		if insert(index, dist2, int32(j), vec.SquaredDistance(run.query(r), run.x.Row(j))) {
			least = run.p.threshold(dist2[len(dist2)-1])
		}
	}
	return least
}
