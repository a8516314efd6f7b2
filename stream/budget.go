package stream

import (
	"context"
	"sync"
)

// budget bounds the bytes of messages that a generation has read and not yet delivered,
// all partitions together. So a slow sink holds back reading whatever the messages' size.
type budget struct {
	limit int64

	mu   sync.Mutex
	used int64
	// freed is closed and replaced when something has been given back.
	freed chan struct{}
}

func newBudget(limit int64) *budget { return &budget{limit: limit, freed: make(chan struct{})} }

// reserve waits until so many bytes fit. What is larger than the whole budget fits
// when nothing else is there.
func (b *budget) reserve(ctx context.Context, n int64) error {
	for {
		b.mu.Lock()
		if b.used == 0 || b.used+n <= b.limit {
			b.used += n
			b.mu.Unlock()
			return nil
		}
		freed := b.freed
		b.mu.Unlock()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-freed:
		}
	}
}

// free gives bytes back and wakes those that wait.
func (b *budget) free(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	close(b.freed)
	b.freed = make(chan struct{})
}

// fits counts bytes if they fit, and says whether they do.
func (b *budget) fits(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+n > b.limit {
		return false
	}
	b.used += n
	return true
}
