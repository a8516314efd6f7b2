package par

import "sync"

// Lender lends out workspaces and owns as many as ever were out at the same time.
// The zero value is ready; it is safe for concurrent use.
type Lender[W any] struct {
	mu   sync.Mutex
	free []*W
}

// Get returns a workspace, as its last user left it or new.
func (l *Lender[W]) Get() *W {
	l.mu.Lock()
	defer l.mu.Unlock()
	if last := len(l.free) - 1; last >= 0 {
		w := l.free[last]
		l.free = l.free[:last]
		return w
	}
	return new(W)
}

// Put takes a workspace back.
func (l *Lender[W]) Put(w *W) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, w)
}

// Sum returns the sum of f over the workspaces that are not out.
func (l *Lender[W]) Sum(f func(w *W) int64) (sum int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.free {
		sum += f(w)
	}
	return sum
}
