package hnsw

import "sync"

// progress counts finished pieces and passes them on one call at a time.
type progress struct {
	mu          sync.Mutex
	done, total int
	hook        func(done, total int)
}

func (p *progress) step() {
	if p.hook == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.hook(p.done, p.total)
}
