package spd

import (
	"sync"
	"sync/atomic"

	"unfold/internal/par"
	"unfold/internal/simd/gemm"
)

// A large matrix is divided into tiles of side rows and columns, whole panels of package gemm. Each
// tile is packed once, when it is finished; all tiles that depend on it read its panels.
const (
	side         = 48
	half         = side / 2 // a triangle that is factored by dot products
	lefts        = side / gemm.Height
	rights       = side / gemm.Width
	tiledRows    = 3 * side  // fewer are not worth it
	invertedRows = 64        // nor, of an inverse, are fewer than these
	chunk        = 10 * side // terms of panels that stay near the processor
	looks        = 2000      // polls of another worker's progress before sleeping
)

// tile is one by itself, by rows.
type tile [side * side]float64

// panels are packed rows of tiles: each row panel after panel, and within a panel tile after tile.
type panels struct {
	data   []float64
	tiles  int
	height int  // of a panel
	down   bool // row i has the tiles i, ..., tiles-1; if not, 0, ..., i
}

func (p *panels) fit(tiles, height int, down bool) {
	p.tiles, p.height, p.down = tiles, height, down
	if n := tiles * (tiles + 1) / 2 * side * side; cap(p.data) < n {
		p.data = make([]float64, n)
	} else {
		p.data = p.data[:n]
	}
}

// at returns row i from tile k of its panel c on.
func (p *panels) at(i, c, k int) []float64 {
	before := i * (i + 1) / 2
	if p.down {
		before = i*p.tiles - i*(i-1)/2
		k -= i
	}
	return p.data[before*side*side+c*p.step(i)+k*side*p.height:]
}

// step returns the distance between the panels of row i.
func (p *panels) step(i int) int {
	if p.down {
		return (p.tiles - i) * side * p.height
	}
	return (i + 1) * side * p.height
}

// workspace has the panels of a factorisation or inversion, and the number of finished columns of
// each row of tiles.
type workspace struct {
	n                   int // rows of the matrix that is inverted
	left, right, turned panels
	done                []atomic.Int32
	failed              atomic.Bool
	asleep              atomic.Int32
	mu                  sync.Mutex
	changed             sync.Cond // failed or done
	sides               []float64 // right sides, as right panels
	rooms               par.Lender[room]
}

// height is the number of left panels of row i of tiles of an n x n matrix.
func height(n, i int) int { return par.Pieces(min(side, n-i*side), gemm.Height) }

// room is scratch of one goroutine.
type room struct {
	tile, other, packed tile
	corner              [5]corner
}

var workspaces = sync.Pool{New: func() any {
	w := new(workspace)
	w.changed.L = &w.mu
	return w
}}

func (w *workspace) begin(tiles int) {
	if len(w.done) < tiles {
		w.done = make([]atomic.Int32, tiles)
	}
	for i := range w.done {
		w.done[i].Store(0)
	}
	w.failed.Store(false)
}

// finish announces that the given number of columns of row i are finished.
func (w *workspace) finish(i, columns int) {
	w.done[i].Store(int32(columns))
	w.wake()
}

// fail announces that the factorisation has failed.
func (w *workspace) fail() {
	w.failed.Store(true)
	w.wake()
}

func (w *workspace) wake() {
	if w.asleep.Load() > 0 {
		w.mu.Lock()
		w.changed.Broadcast()
		w.mu.Unlock()
	}
}

// await returns true once the given number of columns of row i are finished, and false if the
// factorisation has failed. The wait is short on an idle machine, and may be long otherwise.
func (w *workspace) await(i, columns int) bool {
	ready := func() bool { return int(w.done[i].Load()) >= columns || w.failed.Load() }
	for look := 0; !ready(); look++ {
		if look < looks {
			continue
		}
		w.mu.Lock()
		w.asleep.Add(1)
		for !ready() {
			w.changed.Wait()
		}
		w.asleep.Add(-1)
		w.mu.Unlock()
	}
	return int(w.done[i].Load()) >= columns
}

// load copies the tile (i, j) of b, with zeros beyond b and, if i == j, above the diagonal.
func (b block) load(t *tile, i, j int) {
	rows, cols := min(side, b.n-i*side), min(side, b.n-j*side)
	for r := range side {
		line := t[r*side:][:side]
		n := 0
		if r < rows {
			if n = cols; i == j {
				n = r + 1
			}
			copy(line[:n], b.a[(i*side+r)*b.ld+j*side:])
		}
		clear(line[n:])
	}
}

// store is its inverse.
func (b block) store(t *tile, i, j int) {
	rows, cols := min(side, b.n-i*side), min(side, b.n-j*side)
	for r := range rows {
		n := cols
		if i == j {
			n = r + 1
		}
		copy(b.a[(i*side+r)*b.ld+j*side:][:n], t[r*side:])
	}
}

// addProduct adds alpha times a product to t: of count left panels, which start at left and are
// leftStep apart, and of right panels.
func (t *tile) addProduct(alpha float64, count int, left []float64, leftStep int, right []float64, rightStep, terms int) {
	for k := 0; k < terms; k += chunk {
		n := min(chunk, terms-k)
		for c := range rights {
			b := right[c*rightStep+k*gemm.Width:]
			for r := range count {
				gemm.AddTile(t[r*gemm.Height*side+c*gemm.Width:], side, left[r*leftStep+k*gemm.Height:], b, n, alpha)
			}
		}
	}
}

// packLeft and packRight pack the rows of t, as count left panels and as right ones of
// its transpose, step apart.
func (t *tile) packLeft(to []float64, step, count int) {
	for r := range count {
		gemm.PackLeft(to[r*step:], t[r*gemm.Height*side:], side, gemm.Height, side)
	}
}

func (t *tile) packRight(to []float64, step int) {
	for c := range rights {
		gemm.PackRight(to[c*step:], t[c*gemm.Width*side:], side, gemm.Width, side)
	}
}
