package spd

import (
	"unfold/internal/par"
	"unfold/internal/simd/gemm"
)

// factorTiled is FactorSolve by tiles. Task (i, j) computes L_ij: it subtracts the contributions of
// all columns before from A_ij at once and, when L_jj is finished, divides by it. The worker that
// finishes the tile below a diagonal one computes the next diagonal tile immediately, before others
// need it. Right sides are further rows of the matrix.
func factorTiled(a, b block, threads, row int) error {
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	tiles := par.Pieces(a.n, side)
	rows := tiles + par.Pieces(b.m, side)
	w.begin(rows)
	w.left.fit(rows, gemm.Height, false)
	w.right.fit(tiles, gemm.Width, false)
	var failure error // of the one task that may set failed
	par.Do(threads, 1+tiles*(tiles-1)/2+tiles*(rows-tiles), func(t int) {
		at := w.rooms.Get()
		defer w.rooms.Put(at)
		i, j := 0, -1
		if t > 0 {
			if i, j = column(t-1, rows); !w.offDiagonal(a, b, at, i, j) {
				return
			}
		}
		if i == j+1 && i < tiles {
			if err := w.diagonal(a, at, i, row); err != nil {
				failure = err
				w.fail()
			}
		}
	})
	return failure
}

// column returns the indices of tile t of those below the diagonal, counted by columns.
func column(t, rows int) (i, j int) {
	for t >= rows-1-j {
		t -= rows - 1 - j
		j++
	}
	return j + 1 + t, j
}

// offDiagonal computes L_ij, i > j, or a tile of the right sides, when its inputs are finished; it
// returns false if that fails.
func (w *workspace) offDiagonal(a, b block, at *room, i, j int) bool {
	if !w.await(j, j) || !w.await(i, j) {
		return false
	}
	c, x, count, e := &at.tile, &at.other, 0, i-w.right.tiles
	if e < 0 {
		count = height(a.n, i)
		a.load(c, i, j)
	} else {
		count = par.Pieces(min(side, b.m-e*side), gemm.Height)
		b.loadTurned(c, j, e, count*gemm.Height)
	}
	w.subtract(c, count, i, j)
	c.packLeft(at.packed[:], side*gemm.Height, count)
	if !w.await(j, j+1) {
		return false
	}
	clear(x[:])
	x.addProduct(1, count, at.packed[:], side*gemm.Height, w.right.at(j, 0, j), w.right.step(j), side)
	x.packLeft(w.left.at(i, 0, j), w.left.step(i), count)
	if e < 0 {
		a.store(x, i, j)
		x.packRight(w.right.at(i, 0, j), w.right.step(i))
	} else {
		b.storeTurned(x, j, e)
	}
	w.finish(i, j+1)
	return true
}

// subtract subtracts sum_{k<j} L_ik L_jk' from c.
func (w *workspace) subtract(c *tile, count, i, j int) {
	c.addProduct(-1, count, w.left.at(i, 0, 0), w.left.step(i), w.right.at(j, 0, 0), w.right.step(j), j*side)
}

// diagonal computes L_jj, and its inverse as right panels, after all tiles to its left.
func (w *workspace) diagonal(a block, at *room, j, row int) error {
	c := &at.tile
	a.load(c, j, j)
	w.subtract(c, height(a.n, j), j, j)
	for r := a.n - j*side; r < side; r++ {
		c[r*side+r] = 1 // beyond the end
	}
	if err := c.factor(at, row+j*side); err != nil {
		return err
	}
	a.store(c, j, j)
	c.invert(at)
	c.packRight(w.right.at(j, 0, j), w.right.step(j))
	w.finish(j, j+1)
	return nil
}

// invertTiled is InvertSolve by tiles: A^-1 = W' W, W = L^-1. The columns of W are independent:
//
//	W_jj = L_jj^-1,   W_ij = -W_ii sum_{j<=k<i} L_ik W_kj,
//
// They stay in right panels, whose layout is by rows.
func invertTiled(l, b block, threads int) {
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	tiles, share := par.Pieces(l.n, side), 1
	if tiles >= manyTiles {
		share = 2
	}
	w.n = l.n
	w.left.fit(tiles, gemm.Height, false)
	w.right.fit(tiles, gemm.Width, true)
	w.turned.fit(tiles, gemm.Height, true)
	w.packSides(b, tiles)
	w.each(threads, tiles, func(at *room, t int) { w.packRow(l, at, tiles-1-t) })
	w.each(threads, par.Pieces(tiles, share), func(at *room, t int) {
		w.invertColumns(at, t*share, min(tiles, (t+1)*share))
	})
	// A task is a piece of some tiles of a row of A^-1; tasks with much work come first.
	pieces := par.Pieces(tiles, rowTiles)
	w.each(threads, par.Pieces(tiles, share)*pieces, func(at *room, t int) {
		from, first := t/pieces*share, t%pieces*rowTiles
		to := min(tiles, from+share)
		for j := first; j < min(to, first+rowTiles); j++ {
			for i := max(from, j); i < to; i++ {
				clear(at.tile[:])
				w.addProduct(&at.tile, i, w.right.at(j, 0, i), w.right.step(j))
				l.store(&at.tile, i, j)
			}
		}
	})
	w.each(threads, tiles*par.Pieces(b.m, side), func(at *room, t int) {
		i, e := t%tiles, t/tiles
		clear(at.tile[:])
		w.addProduct(&at.tile, i, w.sides[e*rights*l.padded()*gemm.Width+i*side*gemm.Width:], l.padded()*gemm.Width)
		b.storeRows(&at.tile, i, e)
	})
}

const (
	// With at least manyTiles, two columns of W or rows of A^-1 share a task and what it reads.
	// rowTiles is the number of tiles of a row of A^-1 in one task.
	manyTiles = 12
	rowTiles  = 4
)

// each runs tasks with scratch.
func (w *workspace) each(threads, tasks int, f func(at *room, t int)) {
	par.Do(threads, tasks, func(t int) {
		at := w.rooms.Get()
		defer w.rooms.Put(at)
		f(at, t)
	})
}

// addProduct adds W_i' B to t, where W_i are the columns of tile i and B right panels from their
// rows on.
func (w *workspace) addProduct(t *tile, i int, right []float64, step int) {
	t.addProduct(1, height(w.n, i), w.turned.at(i, 0, i), w.turned.step(i), right, step, w.n-i*side)
}

// packRow packs row i of L as left panels, with W_ii in place of L_ii.
func (w *workspace) packRow(l block, at *room, i int) {
	for j := range i + 1 {
		c := &at.tile
		l.load(c, i, j)
		if i == j {
			for r := l.n - j*side; r < side; r++ {
				c[r*side+r] = 1
			}
			c.invert(at)
			for r := l.n - j*side; r < side; r++ {
				c[r*side+r] = 0
			}
		}
		c.packLeft(w.left.at(i, 0, j), w.left.step(i), lefts)
	}
}

// invertColumns computes columns from, ..., to-1 of W, as right panels and, transposed, as left
// ones.
func (w *workspace) invertColumns(at *room, from, to int) {
	for i := from; i < w.left.tiles; i++ {
		for j := from; j < min(to, i+1); j++ {
			w.invertOne(at, i, j)
		}
	}
	for j := from; j < to; j++ {
		w.turn(j)
	}
}

// invertOne computes W_ij when the tiles above it are finished.
func (w *workspace) invertOne(at *room, i, j int) {
	left, own, step := w.left.at(i, 0, j), w.left.at(i, 0, i), w.left.step(i)
	for c := range rights {
		to := w.right.at(j, c, i)[:side*gemm.Width]
		if i == j {
			w.unpack(to, j, c)
			continue
		}
		sum := at.other[:side*gemm.Width]
		clear(sum)
		clear(to)
		for k := j; k < i; k += chunk / side {
			terms := min(chunk, (i-k)*side)
			for r := range height(w.n, i) {
				gemm.AddTile(sum[r*gemm.Height*gemm.Width:], gemm.Width, left[r*step+(k-j)*side*gemm.Height:], w.right.at(j, c, k), terms, -1)
			}
		}
		for r := range height(w.n, i) { // of a triangle
			gemm.AddTile(to[r*gemm.Height*gemm.Width:], gemm.Width, own[r*step:], sum, (r+1)*gemm.Height, 1)
		}
	}
}

// turn packs column j of W as left panels.
func (w *workspace) turn(j int) {
	step := w.right.step(j)
	for r := range lefts {
		c, from := r*gemm.Height/gemm.Width, r*gemm.Height%gemm.Width
		gemm.PackLeftColumns(w.turned.at(j, r, j), w.right.at(j, 0, j)[c*step+from:], gemm.Width, (w.right.tiles-j)*side)
	}
}

// unpack copies panel c of W_jj, by rows, from its left panels.
func (w *workspace) unpack(to []float64, j, c int) {
	for r := range side {
		from := w.left.at(j, r/gemm.Height, j)
		for q := range gemm.Width {
			to[r*gemm.Width+q] = from[(c*gemm.Width+q)*gemm.Height+r%gemm.Height]
		}
	}
}
