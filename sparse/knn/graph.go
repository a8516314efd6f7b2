package knn

import (
	"context"
	"math"
	"sync"

	"unfold/sparse/par"
	"unfold/sparse/vec"
)

// Graph returns the k nearest neighbours of every row of x among the other
// rows (Saul 2020, eq 22: the matrix K). A row is not its own neighbour, but
// an equal row with another number is, at distance 0.
//
// It costs n^2/2 products of length dim; the memory beside x is a float32 copy
// of x and the result. It fails if there are no k other rows, with a
// *ValueError if a value is not finite, or if ctx ends.
func Graph[T vec.Float](ctx context.Context, x vec.Matrix[T], k int, s Settings) (*Neighbors, error) {
	if err := checkShape(x.Rows, x.Cols, k, x.Rows-1); err != nil {
		return nil, err
	}
	if err := checkValues(x, s.Threads); err != nil {
		return nil, err
	}
	g := &graphSearch[T]{
		x: x, p: pack(x, s.Threads),
		lists: NewNeighbors(x.Rows, k), least: make([]float32, x.Rows),
		size: blockSize(x.Rows),
	}
	g.lists.clearLists()
	for i := range g.least {
		g.least[i] = float32(math.Inf(-1))
	}
	blocks := par.Pieces(x.Rows, g.size)
	g.lock = make([]sync.Mutex, blocks)
	tasks := blockPairs(blocks)
	count := progress{total: len(tasks), hook: s.Progress}
	tiles := sync.Pool{New: func() any { return newTile(g.p, g.size) }}
	par.Do(s.Threads, len(tasks), func(t int) {
		if ctx.Err() != nil {
			return
		}
		w := tiles.Get().(*tile)
		g.pair(ctx, w, tasks[t][0], tasks[t][1])
		tiles.Put(w)
		count.step()
	})
	if err := cancelled(ctx); err != nil {
		return nil, err
	}
	return g.lists, nil
}

// blockSize is the number of rows that one task takes against as many others:
// large enough to be worth packing, small enough to give all threads work. It
// is a multiple of panelCols.
func blockSize(n int) int {
	if n <= 8192 {
		return panelCols
	}
	return 6 * panelCols
}

// blockPairs lists every unordered pair of blocks once, such that neighbouring
// tasks rarely share a block: (i, i), then (i, i+1), (i, i+2), ... cyclically.
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

// graphSearch is the state of one call of Graph. Lists and thresholds of block
// b are guarded by lock[b].
type graphSearch[T vec.Float] struct {
	x     vec.Matrix[T]
	p     *packed
	lists *Neighbors
	least []float32 // what q_ij must reach to enter i's list
	size  int
	lock  []sync.Mutex
}

// pair compares the rows of block a with those of block b, in both directions.
func (g *graphSearch[T]) pair(ctx context.Context, w *tile, a, b int) {
	from, to := a*g.size, min(g.x.Rows, (a+1)*g.size)
	for i := from; i < to; i++ {
		r := i - from
		w.half[r] = load(g.p, w.rows[r*g.p.dim:(r+1)*g.p.dim], g.x.Row(i))
	}
	firstPanel, endPanel := b*g.size/panelCols, par.Pieces(min(g.x.Rows, (b+1)*g.size), panelCols)
	for t := firstPanel; t < endPanel; t++ {
		if ctx.Err() != nil {
			return
		}
		for r := 0; r < to-from; r += tileRows {
			end := min(to-from, r+tileRows)
			cols := w.multiply(g.p, r, end, t)
			// The order of the locks is that of the blocks, so tasks cannot
			// wait for each other in a circle.
			g.lock[min(a, b)].Lock()
			if a != b {
				g.lock[max(a, b)].Lock()
				g.scanBoth(w.q, from+r, from+end, t*panelCols, cols)
				g.lock[max(a, b)].Unlock()
			} else {
				g.scanOne(w.q, from+r, from+end, t*panelCols, cols)
			}
			g.lock[min(a, b)].Unlock()
		}
	}
}

// scanBoth offers the pairs of rows from..to and first..first+cols to the
// lists of both.
func (g *graphSearch[T]) scanBoth(q []float32, from, to, first, cols int) {
	leastJ := g.least[first : first+cols]
	for i := from; i < to; i++ {
		row := q[(i-from)*panelCols:][:len(leastJ)]
		leastI := g.least[i]
		for c, v := range row {
			if v < leastI && v < leastJ[c] {
				continue
			}
			j := first + c
			d2 := vec.SquaredDistance(g.x.Row(i), g.x.Row(j))
			if g.offer(i, j, d2) {
				leastI = g.least[i]
			}
			g.offer(j, i, d2)
		}
	}
}

// scanOne offers the rows first..first+cols to the lists of rows from..to,
// where both belong to one block.
func (g *graphSearch[T]) scanOne(q []float32, from, to, first, cols int) {
	for i := from; i < to; i++ {
		leastI := g.least[i]
		for c, v := range q[(i-from)*panelCols:][:cols] {
			j := first + c
			if v < leastI || i == j {
				continue
			}
			if g.offer(i, j, vec.SquaredDistance(g.x.Row(i), g.x.Row(j))) {
				leastI = g.least[i]
			}
		}
	}
}

// offer puts j into i's list if it belongs there and then raises i's threshold.
func (g *graphSearch[T]) offer(i, j int, d2 float64) bool {
	index, dist2 := g.lists.Row(i)
	if !insert(index, dist2, int32(j), d2) {
		return false
	}
	g.least[i] = g.p.threshold(dist2[len(dist2)-1])
	return true
}
