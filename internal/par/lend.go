package par

import "sync"

// Lender lends workspaces, and allocates as many as are ever in use at the same time. The zero
// value is ready. It is safe for concurrent use.
type Lender[W any] struct {
	mu   sync.Mutex
	free []*W
}

// Get returns a new workspace, or a returned one with its previous contents.
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

// Put returns a workspace.
func (l *Lender[W]) Put(w *W) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, w)
}

// Sum returns the sum of f over the workspaces that are not lent out.
func (l *Lender[W]) Sum(f func(w *W) int64) (sum int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.free {
		sum += f(w)
	}
	return sum
}
