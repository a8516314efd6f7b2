package knn

import (
	"context"
	"fmt"
	"math"
	"sync"

	"unfold/internal/vec"
)

// Exact is an Index that gives the true nearest rows. Building it costs one
// pass over the rows, a float32 copy of them and, for many rows, 88 bytes each for
// single queries. It is immutable.
type Exact struct {
	x     vec.Matrix[float32]
	p     *packed
	works *sync.Pool
	// sketch is nil if the rows are small or have no leading columns.
	sketch *sketch
	// bad is what every search returns if the rows themselves are unusable.
	bad error
}

var _ Index = (*Exact)(nil)

// NewExact returns an index over the rows of x, which must not change
// afterwards. If a value of x is not finite, Search fails with a *ValueError.
func NewExact(x vec.Matrix[float32]) *Exact { return newExact(x, sketchBytes) }

// NewScan is NewExact without coarse vectors, for searches of many queries at a time,
// which scan all rows whether there are any. Lists are the same.
func NewScan(x vec.Matrix[float32]) *Exact { return newExact(x, math.MaxInt) }

// newExact is NewExact with a sketch from the given size of the rows on.
func newExact(x vec.Matrix[float32], bytes int) *Exact {
	e := &Exact{x: x}
	if err := checkValues(x, 0); err != nil {
		e.bad = fmt.Errorf("knn: index: %w", err)
		return e
	}
	if x.Cols > 0 { // else every search fails
		e.p = pack(x, nil, 0)
		e.works = workPool(e.p)
		if 4*len(x.Data) >= bytes {
			e.sketch = newSketch(x, e.p, 0)
		}
	}
	return e
}

// Len returns the number of rows.
func (e *Exact) Len() int { return e.x.Rows }

// Dim returns the dimension of the rows.
func (e *Exact) Dim() int { return e.x.Cols }

// Bytes returns how much memory the index holds beside the rows that it was made of.
func (e *Exact) Bytes() int64 {
	if e.p == nil {
		return 0
	}
	b := 4 * int64(len(e.p.Data)+len(e.p.Start)+len(e.p.Tail))
	if e.sketch != nil {
		b += e.sketch.bytes()
	}
	return b
}

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
	run := search[float32]{x: e.x, p: e.p, works: e.works, sketch: e.sketch, from: q, count: q.Rows, k: k}
	return run.all(ctx, s)
}

// NearestUnlike returns, for every row number in rows, the k nearest rows of x whose
// label differs from its own; list r belongs to rows[r]. It fails if there are
// fewer than k such rows for one of them. It is what joins the components of a
// neighbourhood graph.
func NearestUnlike[T vec.Float](ctx context.Context, x vec.Matrix[T], rows, label []int32, k int, s Settings) (*Neighbors, error) {
	run, err := newUnlike(x, rows, label, k, s.Threads)
	if err != nil {
		return nil, err
	}
	return run.all(ctx, s)
}

func newUnlike[T vec.Float](x vec.Matrix[T], rows, label []int32, k, threads int) (*search[T], error) {
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
	if err := checkValues(x, threads); err != nil {
		return nil, err
	}
	p := pack(x, nil, threads)
	return &search[T]{x: x, p: p, works: workPool(p), from: x, rows: rows, count: len(rows), k: k, label: label}, nil
}
