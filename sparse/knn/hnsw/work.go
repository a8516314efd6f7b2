package hnsw

import (
	"slices"
)

// work is the scratch memory of one walk.
type work struct {
	// seen has a bit for every visited row, marked lists these rows.
	seen   []uint64
	marked []int32
	// pool has the candidates and fresh those about to be merged into it.
	pool, fresh []uint64
	met         []int32
	d           []float32
	// These are for choosing links: candidates, and the links kept.
	others, rows []int32
	cand         []uint64
	far          []float32
	kept         []int32
	// Of reporting: exact distances.
	number []int32
	exact  []float64
	found  []found
}

// see marks a row as met.
func (w *work) see(row int32) {
	w.seen[row/64] |= 1 << (row % 64)
	w.marked = append(w.marked, row)
}

// forget unmarks all rows.
func (w *work) forget() {
	for _, r := range w.marked {
		w.seen[r/64] = 0
	}
	w.marked = w.marked[:0]
}

// fit allocates the workspace for rows, pools of ef and lists of width.
func (w *work) fit(rows, ef, width int) {
	if words := (rows + 63) / 64; words > len(w.seen) {
		w.forget()
		w.seen = make([]uint64, words+words/4)
	}
	w.pool = slices.Grow(w.pool[:0], ef+1)
	w.fresh = slices.Grow(w.fresh[:0], width)
	if len(w.met) < width {
		w.met, w.d = make([]int32, width), make([]float32, width)
	}
}

func (w *work) bytes() int64 {
	return int64(8*(cap(w.seen)+cap(w.pool)+cap(w.fresh)+cap(w.cand)+cap(w.exact)) + 16*cap(w.found) +
		4*(cap(w.marked)+cap(w.others)+cap(w.met)+cap(w.d)+cap(w.rows)+cap(w.far)+cap(w.kept)+cap(w.number)))
}
