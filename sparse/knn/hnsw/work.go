package hnsw

import (
	"slices"
	"sync"
)

// work is the scratch memory of one walk.
type work struct {
	// seen has a bit for every row that was met, marked lists them.
	seen   []uint64
	marked []int32
	// pool holds the candidates and fresh those about to join it.
	pool, fresh []uint64
	met         []int32
	d           []float32
	// Of choosing links: candidates, and the links kept.
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

// fit makes room for rows, pools of ef and lists of width.
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

// workspaces lends out scratch memory; an index owns as many as ever were in
// use at the same time.
type workspaces struct {
	mu   sync.Mutex
	free []*work
}

func (p *workspaces) get() *work {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.free) - 1; last >= 0 {
		w := p.free[last]
		p.free = p.free[:last]
		return w
	}
	return new(work)
}

func (p *workspaces) put(w *work) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, w)
}

func (p *workspaces) bytes() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b int64
	for _, w := range p.free {
		b += w.bytes()
	}
	return b
}
