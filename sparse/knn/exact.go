package knn

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// Exact is an Index that returns the true nearest rows. Building it costs one pass over the rows, a
// float32 copy of them and, for many rows, 88 bytes each for single queries. For binary rows
// (Binary) it stores bits, and makes the float32 copy only for the first query with other values.
// It is safe for concurrent use.
type Exact struct {
	x        vec.Matrix[float32]
	distance distance.Distance
	// bits is nil if values other than 0 and 1 occur.
	bits *bitRows
	// plain is set for a distance that uses neither tiles nor bits.
	plain *plainRows[float32]
	// codes, if not nil, serves all queries.
	codes *codeRows
	// floats, if not nil, serves queries that are not binary; build makes it.
	floats atomic.Pointer[floatRows]
	build  sync.Once
	// sketched is the minimum size of the rows, in bytes, for which floats has a sketch.
	sketched int
	// bad is the error of every search if the rows themselves are invalid.
	bad error
}

// floatRows are rows packed for package tile, with the state that searches share.
type floatRows struct {
	p     *packed
	works *sync.Pool
	// sketch is nil if the rows are small or no leading columns have most of the variance.
	sketch *sketch
}

// codeRows are rows as codes, with the same state.
type codeRows struct {
	p      *coded
	works  *sync.Pool
	sketch *sketch
}

var _ Index = (*Exact)(nil)

// NewExact returns an index over the rows of x, which must not change afterwards. If a value of x
// is not finite, Search returns a *ValueError.
func NewExact(x vec.Matrix[float32]) *Exact { return NewExactBy(distance.Euclidean, x) }

// NewExactBy is NewExact under a distance. If the distance is not defined for rows or queries,
// Search returns a *distance.DomainError.
func NewExactBy(d distance.Distance, x vec.Matrix[float32]) *Exact {
	return newExact(d, x, sketchBytes)
}

// NewScan is NewExact without coarse vectors, for batches of many queries, which never use them.
// Lists are the same.
func NewScan(x vec.Matrix[float32]) *Exact {
	return newExact(distance.Euclidean, x, math.MaxInt)
}

// newExact is NewExact with a sketch for rows of at least the given size in bytes.
func newExact(d distance.Distance, x vec.Matrix[float32], bytes int) *Exact {
	e := &Exact{x: x, distance: d, sketched: bytes}
	if err := checkFor(d, x, 0); err != nil {
		e.bad = fmt.Errorf("knn: index: %w", err)
		return e
	}
	switch {
	case x.Cols == 0: // every search fails
	case d.Bits(), d == distance.Euclidean && Binary(x, 0):
		e.bits = newBitRows(d, x, 0)
	case d != distance.Euclidean:
		e.plain = newPlainRows(d, x, 0)
	default:
		if p := newCoded(x, nil, 0); p != nil {
			e.codes = e.asCodes(p)
		} else {
			e.asFloats()
		}
	}
	return e
}

// asCodes returns the rows for searches by codes.
func (e *Exact) asCodes(p *coded) *codeRows {
	c := &codeRows{p: p, works: codedPool[float32](p)}
	if 4*len(e.x.Data) >= e.sketched {
		plan, _ := scaled(e.x, 0)
		c.sketch = newSketch(e.x, plan, 0)
	}
	return c
}

// packedPool and codedPool return pools of workspaces for rows.
func packedPool[T vec.Float](p *packed) *sync.Pool {
	return workPool(p, float32(math.Inf(1)), func() queries[T, float32] { return newPackedQueries[T](p) })
}

func codedPool[T vec.Float](p *coded) *sync.Pool {
	return workPool(p, int32(math.MaxInt32), func() queries[T, int32] { return newCodedQueries[T](p) })
}

// asFloats returns the rows packed for tiles.
func (e *Exact) asFloats() *floatRows {
	e.build.Do(func() {
		f := &floatRows{p: pack(e.x, nil, 0)}
		f.works = packedPool[float32](f.p)
		if 4*len(e.x.Data) >= e.sketched {
			f.sketch = newSketch(e.x, f.p, 0)
		}
		e.floats.Store(f)
	})
	return e.floats.Load()
}

// Len returns the number of rows.
func (e *Exact) Len() int { return e.x.Rows }

// Dim returns the dimension of the rows.
func (e *Exact) Dim() int { return e.x.Cols }

// Bytes returns the memory of the index in bytes, without the rows that it was made from.
func (e *Exact) Bytes() (b int64) {
	if e.bits != nil {
		b = e.bits.bytes()
	}
	if e.plain != nil {
		b = e.plain.bytes()
	}
	if c := e.codes; c != nil {
		b += c.p.bytes()
		if c.sketch != nil {
			b += c.sketch.bytes()
		}
	}
	if f := e.floats.Load(); f != nil {
		b += 4 * int64(len(f.p.Data)+len(f.p.Start)+len(f.p.Tail))
		if f.sketch != nil {
			b += f.sketch.bytes()
		}
	}
	return b
}

// Search returns the k nearest rows of every row of q (q.Rows x Dim), nearest first; see Index.
// Each list depends only on the index and its query.
func (e *Exact) Search(ctx context.Context, q vec.Matrix[float32], k int, s Settings) (*Neighbors, error) {
	if e.bad != nil {
		return nil, e.bad
	}
	if err := checkQueries(e.distance, e.x.Rows, e.x.Cols, q, k, s.Threads); err != nil {
		return nil, err
	}
	if e.plain != nil {
		return plainOthers(ctx, e.plain, q, k, s)
	}
	if e.bits != nil && (q.Rows == 0 || zerosAndOnes(q, s.Threads)) {
		return bitsOfOthers(ctx, e.bits, q, k, s)
	}
	if c := e.codes; c != nil {
		run := search[float32, int32]{x: e.x, p: c.p, works: c.works, sketch: c.sketch, from: q, count: q.Rows, k: k}
		return run.all(ctx, s)
	}
	f := e.asFloats()
	run := search[float32, float32]{x: e.x, p: f.p, works: f.works, sketch: f.sketch, from: q, count: q.Rows, k: k}
	return run.all(ctx, s)
}

// NearestUnlike returns, for every row number in rows, the k nearest rows of x with a different
// label; list r belongs to rows[r]. It returns an error if there are fewer than k such rows for one
// of them. It is used to join the components of a neighbourhood graph.
func NearestUnlike[T vec.Float](ctx context.Context, x vec.Matrix[T], rows, label []int32, k int, s Settings) (*Neighbors, error) {
	if err := checkUnlike(x, rows, label, k, s); err != nil {
		return nil, err
	}
	switch {
	case s.Distance.Bits():
		return bitUnlike(ctx, newBitRows(s.Distance, x, s.Threads), rows, label, k, s)
	case s.Distance != distance.Euclidean:
		return plainUnlike(ctx, x, rows, label, k, s)
	}
	if Binary(x, s.Threads) {
		return bitUnlike(ctx, newBitRows(distance.Euclidean, x, s.Threads), rows, label, k, s)
	}
	if p := newCoded(x, nil, s.Threads); p != nil {
		return newUnlike(x, p, codedPool[T](p), rows, label, k).all(ctx, s)
	}
	p := pack(x, nil, s.Threads)
	return newUnlike(x, p, packedPool[T](p), rows, label, k).all(ctx, s)
}

// newUnlike prepares NearestUnlike by a filter of the rows.
func newUnlike[T vec.Float, V value](x vec.Matrix[T], p filter[V], works *sync.Pool, rows, label []int32, k int) *search[T, V] {
	return &search[T, V]{x: x, p: p, works: works, from: x, rows: rows, count: len(rows), k: k, label: label}
}

// checkUnlike returns the error of NearestUnlike for invalid arguments.
func checkUnlike[T vec.Float](x vec.Matrix[T], rows, label []int32, k int, s Settings) error {
	if err := checkShape(x.Rows, x.Cols, k, x.Rows-1); err != nil {
		return err
	}
	if len(label) != x.Rows {
		return fmt.Errorf("knn: %d labels for %d rows", len(label), x.Rows)
	}
	size := map[int32]int{}
	for _, l := range label {
		size[l]++
	}
	for _, i := range rows {
		if i < 0 || int(i) >= x.Rows {
			return fmt.Errorf("knn: row %d of %d asked for", i, x.Rows)
		}
		if others := x.Rows - size[label[i]]; others < k {
			return fmt.Errorf("knn: row %d: %d neighbours of another label asked for, but there are only %d such rows", i, k, others)
		}
	}
	return checkFor(s.Distance, x, s.Threads)
}
