package knn

import (
	"context"
	"slices"
	"sync"

	"unfold/internal/par"
	"unfold/internal/simd/codes"
	"unfold/internal/simd/tile"
	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// Graph returns the k nearest neighbours of every row of x among the other rows (Saul 2020, eq 22:
// the matrix K). A row is not its own neighbour, but an equal row with another number is, at
// distance 0.
//
// The Euclidean distance costs n^2/2 products of length dim, and n log n steps to sort the rows so
// that neighbours are found early. The memory besides x is a float32 copy of x and the result. It
// returns an error if there are no k other rows or if ctx ends, and a *ValueError if a value is not
// finite.
func Graph[T vec.Float](ctx context.Context, x vec.Matrix[T], k int, s Settings) (*Neighbors, error) {
	if err := checkShape(x.Rows, x.Cols, k, x.Rows-1); err != nil {
		return nil, err
	}
	if err := checkFor(s.Distance, x, s.Threads); err != nil {
		return nil, err
	}
	switch {
	case s.Distance.Bits():
		return bitGraph(ctx, newBitRows(s.Distance, x, s.Threads), k, s)
	case s.Distance != distance.Euclidean:
		return plainGraph(ctx, x, k, s)
	}
	if Binary(x, s.Threads) {
		return bitGraph(ctx, newBitRows(distance.Euclidean, x, s.Threads), k, s)
	}
	return floatGraph(ctx, x, k, s)
}

// floatGraph is Graph of rows that are not binary, under the Euclidean distance.
func floatGraph[T vec.Float](ctx context.Context, x vec.Matrix[T], k int, s Settings) (*Neighbors, error) {
	size := graphPanels(x.Rows, x.Cols, codedBytes)
	if p := newCoded(x, func() []int32 { return Order(x, size*tile.Width, s.Threads) }, s.Threads); p != nil {
		return newGraphSearch[T, int32](x, p, k, size).all(ctx, s)
	}
	size = graphPanels(x.Rows, 4*x.Cols, floatBytes)
	p := pack(x, Order(x, size*tile.Width, s.Threads), s.Threads)
	return newGraphSearch[T, float32](x, p, k, size).all(ctx, s)
}

// The panels of a block share the second-level cache with those of another. Floats have more of it:
// with smaller blocks of wide rows, most of the time would go into loading blocks.
const codedBytes, floatBytes = 640 << 10, 768 << 10

// graphPanels returns the number of panels of a block of a graph search, given the bytes of a row
// and of a block. It is smaller for few rows, so that all threads have work.
func graphPanels(rows, row, bytes int) int {
	most := 20
	if rows <= 8192 {
		most = 4
	}
	return max(1, min(most, bytes/(tile.Width*row)))
}

// blockPairs lists every unordered pair of blocks once, so that consecutive tasks rarely share a
// block: (i, i), then (i, i+1), (i, i+2), ... cyclically.
func blockPairs(blocks int) [][2]int {
	var pairs [][2]int
	for offset := 0; 2*offset <= blocks; offset++ {
		for i := range blocks {
			if offset > 0 && 2*offset == blocks && i >= offset {
				break
			}
			pairs = append(pairs, [2]int{i, (i + offset) % blocks})
		}
	}
	return pairs
}

// graphSearch is the state of one call of Graph. Block b is panels b*size, ...
// of p; the lists and thresholds of its positions are guarded by lock[b].
type graphSearch[T vec.Float, V value] struct {
	x     vec.Matrix[T]
	p     filter[V]
	lists *Neighbors // by row
	least []V        // by position: the least value that enters its list
	size  int
	lock  []sync.Mutex
}

func newGraphSearch[T vec.Float, V value](x vec.Matrix[T], p filter[V], k, size int) *graphSearch[T, V] {
	g := &graphSearch[T, V]{x: x, p: p, lists: EmptyNeighbors(x.Rows, k), size: size}
	g.lock = make([]sync.Mutex, par.Pieces(g.p.Count(), g.size))
	g.least = make([]V, g.p.Count()*tile.Width)
	for i := range g.least {
		g.least[i] = p.lowest()
	}
	return g
}

// all compares every pair of blocks.
func (g *graphSearch[T, V]) all(ctx context.Context, s Settings) (*Neighbors, error) {
	tasks := blockPairs(len(g.lock))
	count := par.NewProgress(len(tasks), s.Progress)
	works := sync.Pool{New: func() any { return newGraphWork(g.p, g.size) }}
	par.Do(s.Threads, len(tasks), func(t int) {
		if ctx.Err() != nil {
			return
		}
		w := works.Get().(*graphWork[V])
		if a, b := tasks[t][0], tasks[t][1]; a == b {
			g.within(ctx, w, a)
		} else {
			g.between(ctx, w, min(a, b), max(a, b))
		}
		works.Put(w)
		count.Step()
	})
	if err := cancelled(ctx); err != nil {
		return nil, err
	}
	return g.lists, nil
}

// graphWork is the workspace of one goroutine: copies of the thresholds of a panel and of a block,
// and a mask of the pairs that reach them.
type graphWork[V value] struct {
	rows  [tile.Width]V
	cols  []V
	mask  []uint64 // tile.Width/tile.Height times the size that tile.Scan needs
	left  *codes.Left
	near  nearby // within a block
	pass  passed
	dist2 []float64
}

func newGraphWork[V value](p filter[V], size int) *graphWork[V] {
	return &graphWork[V]{cols: make([]V, size*tile.Width), mask: make([]uint64, size*tile.Width), left: p.left(), near: newNearby(size, tile.Height)}
}

// passed lists the pairs of a panel with a block that may be neighbours, by their positions.
type passed struct {
	i, j  []int32
	dist2 []float64
	rows  []int32 // the numbers of j, for one i
}

// panels returns the range of block b.
func (g *graphSearch[T, V]) panels(b int) (from, to int) {
	return b * g.size, min(g.p.Count(), (b+1)*g.size)
}

// within fills the lists of a block with the nearest rows of the same block.
func (g *graphSearch[T, V]) within(ctx context.Context, w *graphWork[V], b int) {
	g.lock[b].Lock()
	defer g.lock[b].Unlock()
	from, to := g.panels(b)
	end := min(g.p.rows(), to*tile.Width)
	w.near.begin(from, to)
	for first := from * tile.Width; first < end && ctx.Err() == nil; first += tile.Height {
		g.p.near(w.left, &w.near, first, from, to)
		for i := first; i < min(end, first+tile.Height); i++ {
			lower := w.near.of(i - first)
			lower[i-from*tile.Width] = furthest // no neighbour of itself
			g.mergeNear(w, i, w.near.least(lower, g.lists.K), from)
			g.mergeNear(w, i, w.near.more(lower, g.p.limit(g.least[i])), from)
		}
	}
}

// mergeNear computes the distances of positions, counted from panel first, and inserts those that
// belong in i's list.
func (g *graphSearch[T, V]) mergeNear(w *graphWork[V], i int, at []int32, first int) {
	for t, j := range at {
		at[t] = int32(g.p.row(first*tile.Width + int(j)))
	}
	ri := g.p.row(i)
	index, dist2 := g.lists.Row(ri)
	w.dist2 = slices.Grow(w.dist2[:0], len(at))[:len(at)]
	measure(w.dist2, g.x.Row(ri), g.x, at)
	merge(index, dist2, at, w.dist2)
	g.least[i] = g.p.least(i, dist2[len(dist2)-1])
}

// between offers the pairs of two blocks, a < b, to the lists of both.
func (g *graphSearch[T, V]) between(ctx context.Context, w *graphWork[V], a, b int) {
	first, last := g.panels(b)
	// Locks are taken in the order of the blocks, so tasks cannot deadlock.
	lock := func() { g.lock[a].Lock(); g.lock[b].Lock() }
	unlock := func() { g.lock[b].Unlock(); g.lock[a].Unlock() }
	from, to := g.panels(a)
	for p := from; p < to && ctx.Err() == nil; p++ {
		lock()
		copy(w.rows[:], g.least[p*tile.Width:])
		copy(w.cols, g.least[first*tile.Width:last*tile.Width])
		unlock()
		g.p.scan(w.left, w.mask, p, w.rows[:], first, last, w.cols)
		g.measurePassed(w, p, first, last)
		lock()
		for t, i := range w.pass.i {
			g.offer(int(i), int(w.pass.j[t]), w.pass.dist2[t])
		}
		unlock()
	}
}

// measurePassed computes the distances of the pairs that passed scan.
func (g *graphSearch[T, V]) measurePassed(w *graphWork[V], a, first, last int) {
	w.pass.i, w.pass.j, w.pass.dist2 = w.pass.i[:0], w.pass.j[:0], w.pass.dist2[:0]
	for r := range tile.Width {
		group := r / tile.Height * tile.Height * (last - first)
		from := len(w.pass.j)
		w.pass.j = positions(w.pass.j, w.mask[group:][:(last-first)*tile.Height], r%tile.Height, tile.Height, first)
		if found := w.pass.j[from:]; len(found) > 0 {
			i := a*tile.Width + r
			w.pass.rows = w.pass.rows[:0]
			for _, j := range found {
				w.pass.i = append(w.pass.i, int32(i))
				w.pass.rows = append(w.pass.rows, int32(g.p.row(int(j))))
			}
			w.pass.dist2 = slices.Grow(w.pass.dist2, len(found))[:len(w.pass.j)]
			measure(w.pass.dist2[from:], g.x.Row(g.p.row(i)), g.x, w.pass.rows)
		}
	}
}

// offer inserts positions i and j, at squared distance d2, into each other's lists if they belong
// there.
func (g *graphSearch[T, V]) offer(i, j int, d2 float64) {
	ri, rj := g.p.row(i), g.p.row(j)
	g.insert(i, ri, rj, d2)
	g.insert(j, rj, ri, d2)
}

// insert offers row rj to the list of row ri at position i, and raises its threshold.
func (g *graphSearch[T, V]) insert(i, ri, rj int, d2 float64) {
	index, dist2 := g.lists.Row(ri)
	if insert(index, dist2, int32(rj), d2) {
		g.least[i] = g.p.least(i, dist2[len(dist2)-1])
	}
}
