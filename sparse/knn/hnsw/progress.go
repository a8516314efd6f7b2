package hnsw

import "sync"

// knnProgress counts finished pieces and passes them on one call at a time.
type knnProgress struct {
	mu          sync.Mutex
	done, total int
	hook        func(done, total int)
}

func (p *knnProgress) step() {
	if p.hook == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.hook(p.done, p.total)
}
