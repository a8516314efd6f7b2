package descent

import "sync"

// work is the scratch memory of one task.
type work struct {
	fresh, merged []uint64
	// rows are those to be measured, d their distances.
	rows []int32
	d    []float32
	// seen has a bit for every row that was met, marked lists them.
	seen   []uint64
	marked []int32
	exact  []float64
	ranked []found
}

// fit makes room for marks of n rows.
func (w *work) fit(n int) {
	if words := (n + 63) / 64; len(w.seen) < words {
		w.seen = make([]uint64, words)
	}
}

func (w *work) bytes() int64 {
	return int64(8*(cap(w.fresh)+cap(w.merged)+cap(w.seen)+cap(w.exact)) + 4*(cap(w.rows)+cap(w.d)+cap(w.marked)) + 16*cap(w.ranked))
}

// workspaces lends out scratch memory within one call of Graph.
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
	var b int64
	for _, w := range p.free {
		b += w.bytes()
	}
	return b
}
