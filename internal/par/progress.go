package par

import "sync"

// Progress counts finished tasks and calls a hook, one call at a time. It is safe
// for concurrent use.
type Progress struct {
	mu    sync.Mutex
	done  int
	total int
	hook  func(done, total int)
}

// NewProgress returns a count for total tasks; hook may be nil.
func NewProgress(total int, hook func(done, total int)) *Progress {
	return &Progress{total: total, hook: hook}
}

// Step counts a task.
func (p *Progress) Step() {
	if p.hook == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.hook(p.done, p.total)
}
