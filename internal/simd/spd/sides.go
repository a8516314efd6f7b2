package spd

import (
	"unfold/internal/par"
	"unfold/internal/simd/gemm"
	"unfold/internal/vec"
)

// FactorSolve combines Factor and HalfSolve: it overwrites b (n x m) with L^-1 b during the
// factorisation, in a fraction of the time. After an error b is unusable too.
func FactorSolve(a, b vec.Matrix[float64], threads int) error {
	m := whole(a)
	if m.n >= tiledRows {
		return factorTiled(m, sides(m, b), threads, 0)
	}
	if err := Factor(a, threads); err != nil {
		return err
	}
	HalfSolve(a, b, threads)
	return nil
}

// InvertSolve combines SecondHalf and InvertLower: it overwrites b with L'^-1 b, and the lower
// triangle of l with that of (L L')^-1.
func InvertSolve(l, b vec.Matrix[float64], threads int) {
	if m := whole(l); m.n >= tiledRows {
		invertTiled(m, sides(m, b), threads)
		return
	}
	SecondHalf(l, b, threads)
	InvertLower(l, threads)
}

// sides are right sides of a matrix.
func sides(a block, b vec.Matrix[float64]) block {
	if b.Rows != a.n {
		panic("spd: right sides of another length")
	}
	return block{b.Data, max(b.Cols, 1), b.Rows, b.Cols}
}

// padded returns the number of rows rounded up to whole tiles.
func (b block) padded() int { return par.Pieces(b.n, side) * side }

// loadTurned copies the transpose of the tile (i, j) of b to the first rows of t, padded with
// zeros.
func (b block) loadTurned(t *tile, i, j, rows int) {
	clear(t[:rows*side])
	n, m := min(side, b.n-i*side), min(side, b.m-j*side)
	for c := range n {
		for r, v := range b.a[(i*side+c)*b.ld+j*side:][:m] {
			t[r*side+c] = v
		}
	}
}

// storeTurned is its inverse.
func (b block) storeTurned(t *tile, i, j int) {
	n, m := min(side, b.n-i*side), min(side, b.m-j*side)
	for c := range n {
		line := b.a[(i*side+c)*b.ld+j*side:][:m]
		for r := range line {
			line[r] = t[r*side+c]
		}
	}
}

// storeRows copies t to the tile (i, j) of b.
func (b block) storeRows(t *tile, i, j int) {
	n, m := min(side, b.n-i*side), min(side, b.m-j*side)
	for r := range n {
		copy(b.a[(i*side+r)*b.ld+j*side:][:m], t[r*side:])
	}
}

// packSides packs b as right panels of all rows.
func (w *workspace) packSides(b block, tiles int) {
	count := par.Pieces(b.m, side) * rights
	size := tiles * side * gemm.Width
	if cap(w.sides) < count*size {
		w.sides = make([]float64, count*size)
	}
	w.sides = w.sides[:count*size]
	clear(w.sides)
	for c := 0; c*gemm.Width < b.m; c++ {
		for i := range b.n {
			copy(w.sides[c*size+i*gemm.Width:][:gemm.Width], b.a[i*b.ld+c*gemm.Width:][:min(gemm.Width, b.m-c*gemm.Width)])
		}
	}
}
