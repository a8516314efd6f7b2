package knn

import (
	"cmp"
	"context"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// plainBlock is the number of rows in a block, and of queries that are compared with it
// consecutively, so that the block stays in the cache.
const plainBlock = 64

// plainRows are rows under a distance that tiles do not support. Blocks of them are leaves of a k-d
// tree (Order), each with the bounding box of its rows.
type plainRows[T vec.Float] struct {
	d         distance.Distance
	order     []int32       // the row at every position
	x         vec.Matrix[T] // position by position
	low, high []float64     // of every block and column
	number    []int32       // of the rows of a block, from 0
}

// newPlainRows sorts the rows of x, which must be finite, into blocks.
func newPlainRows[T vec.Float](d distance.Distance, x vec.Matrix[T], threads int) *plainRows[T] {
	p := &plainRows[T]{d: d, order: Order(x, plainBlock, threads), number: upTo(plainBlock)}
	p.x = vec.Take(x, p.order)
	blocks := p.blocks()
	p.low, p.high = make([]float64, blocks*x.Cols), make([]float64, blocks*x.Cols)
	par.Ranges(threads, x.Rows, plainBlock, func(b, from, to int) {
		low, high := p.box(b)
		for k, v := range p.x.Row(from) {
			low[k], high[k] = float64(v), float64(v)
		}
		for i := from + 1; i < to; i++ {
			for k, v := range p.x.Row(i) {
				low[k], high[k] = min(low[k], float64(v)), max(high[k], float64(v))
			}
		}
	})
	return p
}

// blocks is their number.
func (p *plainRows[T]) blocks() int { return par.Pieces(p.x.Rows, plainBlock) }

// box is that of block b.
func (p *plainRows[T]) box(b int) (low, high []float64) {
	d := p.x.Cols
	return p.low[b*d : (b+1)*d], p.high[b*d : (b+1)*d]
}

// bytes is the memory of the rows.
func (p *plainRows[T]) bytes() int64 {
	var v T
	size := int64(4)
	if _, double := any(v).(float64); double {
		size = 8
	}
	return size*int64(len(p.x.Data)) + 4*int64(len(p.order)) + 8*int64(len(p.low)+len(p.high))
}

// plainSearch compares queries with all rows, except blocks whose box is farther than the last
// entry of a query's list.
type plainSearch[T vec.Float] struct {
	p *plainRows[T]
	// Query r is row r of q, and its list is list[r].
	q    vec.Matrix[T]
	list []int32
	k    int
	// own is the row that is the query itself, which is not its own neighbour; nil if queries are
	// other rows.
	own []int32
	// label, if not nil, excludes rows of the query's own label.
	label []int32
	works par.Lender[plainWork]
}

// plainWork is the workspace of one goroutine: lower bounds of the distances between queries and
// blocks, and the blocks ordered by the smallest bound. about has a query's distances to the rows
// of a block, in single precision.
type plainWork struct {
	bound []float64
	least []float64
	order []int32
	about [plainBlock]float32
}

// plainGraph searches for the neighbours of all rows among the others.
func plainGraph[T vec.Float](ctx context.Context, x vec.Matrix[T], k int, s Settings) (*Neighbors, error) {
	p := newPlainRows(s.Distance, x, s.Threads)
	return (&plainSearch[T]{p: p, q: p.x, list: p.order, own: p.order, k: k}).all(ctx, s)
}

// plainUnlike searches for the neighbours of some rows among those of other labels.
func plainUnlike[T vec.Float](ctx context.Context, x vec.Matrix[T], rows, label []int32, k int, s Settings) (*Neighbors, error) {
	p := newPlainRows(s.Distance, x, s.Threads)
	return (&plainSearch[T]{p: p, q: vec.Take(x, rows), list: upTo(len(rows)), own: rows, label: label, k: k}).all(ctx, s)
}

// plainOthers searches p for the neighbours of other rows.
func plainOthers[T vec.Float](ctx context.Context, p *plainRows[T], q vec.Matrix[T], k int, s Settings) (*Neighbors, error) {
	return (&plainSearch[T]{p: p, q: q, list: upTo(q.Rows), k: k}).all(ctx, s)
}

// upTo returns 0 to n-1.
func upTo(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// all shares the queries out among goroutines.
func (run *plainSearch[T]) all(ctx context.Context, s Settings) (*Neighbors, error) {
	n := run.q.Rows
	lists := EmptyNeighbors(n, run.k)
	size := max(1, min(plainBlock, n/8)) // so that a small batch has work for all threads
	count := par.NewProgress(par.Pieces(n, size), s.Progress)
	par.Ranges(s.Threads, n, size, func(_, from, to int) {
		run.block(ctx, lists, from, to)
		count.Step()
	})
	if err := cancelled(ctx); err != nil {
		return nil, err
	}
	return lists, nil
}

// block fills the lists of queries from..to, comparing the nearest blocks of rows first.
func (run *plainSearch[T]) block(ctx context.Context, lists *Neighbors, from, to int) {
	p, blocks := run.p, run.p.blocks()
	w := run.works.Get()
	defer run.works.Put(w)
	w.bound = slices.Grow(w.bound[:0], (to-from)*blocks)[:(to-from)*blocks]
	w.least = slices.Grow(w.least[:0], blocks)[:blocks]
	w.order = w.order[:0]
	for b := range blocks {
		low, high := p.box(b)
		w.least[b] = math.Inf(1)
		for r := from; r < to; r++ {
			bound := distance.Box(p.d, run.q.Row(r), low, high)
			w.bound[(r-from)*blocks+b], w.least[b] = bound, min(w.least[b], bound)
		}
		w.order = append(w.order, int32(b))
	}
	slices.SortStableFunc(w.order, func(a, b int32) int { return cmp.Compare(w.least[a], w.least[b]) })
	for _, b := range w.order {
		for r := from; r < to && ctx.Err() == nil; r++ {
			run.compare(lists, r, int(b), w.bound[(r-from)*blocks+int(b)], w.about[:])
		}
	}
}

// compare offers the rows of a block, whose distance is at least bound, to the list of query r. It
// skips rows that single precision excludes.
func (run *plainSearch[T]) compare(lists *Neighbors, r, block int, bound float64, near []float32) {
	p := run.p
	index, dist2 := lists.Row(int(run.list[r]))
	last := dist2[len(dist2)-1]
	if bound > last {
		return
	}
	q, first := run.q.Row(r), block*plainBlock
	rows := p.x.Slice(first, min(first+plainBlock, p.x.Rows))
	x, single := any(rows).(vec.Matrix[float32])
	kernel := p.d.Kernel()
	if single = single && kernel != nil; single {
		kernel.About(near, any(q).([]float32), x.Data, x.Cols, p.number[:x.Rows])
	}
	limit := beyond(kernel, last, len(q))
	for i := range rows.Rows {
		j := p.order[first+i]
		if single && float64(near[i]) > limit || run.excluded(r, j) {
			continue
		}
		if d2 := distance.Within(p.d, q, rows.Row(i), last); d2 <= last && insert(index, dist2, j, d2) {
			last = dist2[len(dist2)-1]
			limit = beyond(kernel, last, len(q))
		}
	}
}

// excluded reports whether row j must be skipped for query r.
func (run *plainSearch[T]) excluded(r int, j int32) bool {
	switch {
	case run.own == nil:
		return false
	case run.label == nil:
		return run.own[r] == j
	}
	return run.label[run.own[r]] == run.label[j]
}
