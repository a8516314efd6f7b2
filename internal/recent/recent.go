// Package recent remembers the last few of something that takes long to make and is asked
// for again and again, as the schemas of messages are. To find one takes no lock:
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

// List holds the last values that were added. It is safe for concurrent use, if the values
// are; the zero value is empty.
type List[T any] struct {
	all atomic.Pointer[[]*T]
	mu  sync.Mutex // of replacing all
}

// Find returns the latest value that is the one wanted, nil if there is none.
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

// Add adds a value and forgets all but the latest most, unless the one wanted has been added
// meanwhile. It returns the one that is in the list.
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
