// Package recent caches the last few values that are expensive to make and often needed again, such
// as the schemas of messages. Finding a value takes no lock:
//
//	var known recent.List[schema]
//	s := known.Find(fits)
//	if s == nil {
//		s = known.Add(parse(message), 8, fits)
//	}
package recent

import (
	"sync"
	"sync/atomic"
)

// List has the last values that were added. It is safe for concurrent use if the values are. The
// zero value is empty.
type List[T any] struct {
	all atomic.Pointer[[]*T]
	mu  sync.Mutex // of replacing all
}

// Find returns the latest value for which is returns true, or nil.
func (l *List[T]) Find(is func(*T) bool) *T {
	all := l.all.Load()
	if all == nil {
		return nil
	}
	for _, v := range *all {
		if is(v) {
			return v
		}
	}
	return nil
}

// Add adds a value, unless a matching one has been added meanwhile, and drops all but the latest
// most values. It returns the value in the list.
func (l *List[T]) Add(v *T, most int, is func(*T) bool) *T {
	l.mu.Lock()
	defer l.mu.Unlock()
	if there := l.Find(is); there != nil {
		return there
	}
	all := make([]*T, 0, most)
	all = append(all, v)
	if before := l.all.Load(); before != nil {
		all = append(all, (*before)[:min(len(*before), most-1)]...)
	}
	l.all.Store(&all)
	return v
}
