package knn

import (
	"context"
	"math/bits"
	"slices"
	"sync"

	"unfold/internal/par"
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
	return newGraphSearch(x, k, s.Threads).all(ctx, s)
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
type graphSearch[T vec.Float] struct {
	x     vec.Matrix[T]
	p     *packed
	lists *Neighbors // by row
	least []float32  // by position: the least q_ij that enters its list
	size  int
	lock  []sync.Mutex
}

func newGraphSearch[T vec.Float](x vec.Matrix[T], k, threads int) *graphSearch[T] {
	g := &graphSearch[T]{x: x, lists: EmptyNeighbors(x.Rows, k), size: stripPanels(x.Cols)}
	if x.Rows <= 8192 {
		g.size = min(g.size, 4) // so that all threads have work
	}
	g.p = pack(x, Order(x, g.size*tile.Width, threads), threads)
	g.lock = make([]sync.Mutex, par.Pieces(g.p.Count(), g.size))
	g.least = make([]float32, g.p.Count()*tile.Width)
	for i := range g.least {
		g.least[i] = lowest
	}
	return g
}

// all compares every pair of blocks.
func (g *graphSearch[T]) all(ctx context.Context, s Settings) (*Neighbors, error) {
	tasks := blockPairs(len(g.lock))
	count := par.NewProgress(len(tasks), s.Progress)
	works := sync.Pool{New: func() any { return newGraphWork(g.size) }}
	par.Do(s.Threads, len(tasks), func(t int) {
		if ctx.Err() != nil {
			return
		}
		w := works.Get().(*graphWork)
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
type graphWork struct {
	rows  [tile.Width]float32
	cols  []float32
	mask  []uint64 // tile.Width/tile.Height times the size that tile.Scan needs
	near  nearby   // within a block
	dist2 []float64
}

func newGraphWork(size int) *graphWork {
	return &graphWork{cols: make([]float32, size*tile.Width), mask: make([]uint64, size*tile.Width), near: newNearby(size)}
}

// panels returns the range of block b.
func (g *graphSearch[T]) panels(b int) (from, to int) {
	return b * g.size, min(g.p.Count(), (b+1)*g.size)
}

// within fills the lists of a block with the nearest rows of the same block.
func (g *graphSearch[T]) within(ctx context.Context, w *graphWork, b int) {
	g.lock[b].Lock()
	defer g.lock[b].Unlock()
	from, to := g.panels(b)
	end := min(g.p.N, to*tile.Width)
	for first := from * tile.Width; first < end && ctx.Err() == nil; first += tile.Height {
		w.near.compare(g.p, g.p.Panels, first, false, from, to)
		for i := first; i < min(end, first+tile.Height); i++ {
			lower := w.near.of(i - first)
			lower[i-from*tile.Width] = furthest // no neighbour of itself
			g.mergeNear(w, i, w.near.least(lower, g.lists.K), from)
			g.mergeNear(w, i, w.near.more(lower, g.least[i]), from)
		}
	}
}

// mergeNear computes the distances of positions, counted from panel first, and inserts those that
// belong in i's list.
func (g *graphSearch[T]) mergeNear(w *graphWork, i int, at []int32, first int) {
	for t, j := range at {
		at[t] = int32(g.p.row(first*tile.Width + int(j)))
	}
	ri := g.p.row(i)
	index, dist2 := g.lists.Row(ri)
	w.dist2 = slices.Grow(w.dist2[:0], len(at))[:len(at)]
	measure(w.dist2, g.x.Row(ri), g.x, at)
	merge(index, dist2, at, w.dist2)
	g.least[i] = g.p.threshold(dist2[len(dist2)-1])
}

// between offers the pairs of two blocks, a < b, to the lists of both.
func (g *graphSearch[T]) between(ctx context.Context, w *graphWork, a, b int) {
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
		g.scan(w, p, first, last)
		lock()
		g.offerPassed(w, p, first, last)
		unlock()
	}
}

// scan compares panel a with panels first..last.
func (g *graphSearch[T]) scan(w *graphWork, a, first, last int) {
	for r := 0; r < tile.Width; r += tile.Height {
		tile.Scan(g.p.level, w.mask[r*(last-first):], g.p.Panels, a*tile.Width+r, w.rows[r:], g.p.Panels, first, last, w.cols)
	}
}

// offerPassed offers the pairs of positions that passed scan to the lists of both.
func (g *graphSearch[T]) offerPassed(w *graphWork, a, first, last int) {
	for r := 0; r < tile.Width; r += tile.Height {
		mask := w.mask[r*(last-first):][:(last-first)*tile.Height]
		for t, pass := range mask {
			for ; pass != 0; pass &= pass - 1 {
				g.offer(a*tile.Width+r+t%tile.Height, (first+t/tile.Height)*tile.Width+bits.TrailingZeros64(pass))
			}
		}
	}
}

// offer inserts positions i and j into each other's lists if they belong there.
func (g *graphSearch[T]) offer(i, j int) {
	ri, rj := g.p.row(i), g.p.row(j)
	d2 := vec.SquaredDistance(g.x.Row(ri), g.x.Row(rj))
	g.insert(i, ri, rj, d2)
	g.insert(j, rj, ri, d2)
}

// insert offers row rj to the list of row ri at position i, and raises its threshold.
func (g *graphSearch[T]) insert(i, ri, rj int, d2 float64) {
	index, dist2 := g.lists.Row(ri)
	if insert(index, dist2, int32(rj), d2) {
		g.least[i] = g.p.threshold(dist2[len(dist2)-1])
	}
}
