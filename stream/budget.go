package stream

import (
	"context"
	"sync"
)

// budget bounds the bytes of messages that a generation has read and not yet delivered, over all
// partitions. A slow sink therefore blocks reading, whatever the size of the messages.
type budget struct {
	limit int64

	mu   sync.Mutex
	used int64
	// freed is closed and replaced when bytes are freed.
	freed chan struct{}
}

func newBudget(limit int64) *budget { return &budget{limit: limit, freed: make(chan struct{})} }

// reserve blocks until n bytes fit. A request that exceeds the whole limit is granted when nothing
// else is reserved.
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

// free returns n bytes and wakes the waiting goroutines.
func (b *budget) free(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	close(b.freed)
	b.freed = make(chan struct{})
}

// fits reserves n bytes if they fit, and reports whether they do.
func (b *budget) fits(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+n > b.limit {
		return false
	}
	b.used += n
	return true
}
