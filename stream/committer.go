package stream

import (
	"context"
	"errors"
	"sync"
	"time"

	"unfold/internal/offsets"
)

// committer commits the acknowledged offsets of one generation at regular intervals.
type committer struct {
	gen   Generation
	every time.Duration
	retry retrier

	mu    sync.Mutex
	dirty map[TopicPartition]int64
}

func newCommitter(gen Generation, s Settings, retry retrier) *committer {
	return &committer{gen: gen, every: s.CommitEvery, retry: retry, dirty: map[TopicPartition]int64{}}
}

// mark records that all messages of a partition before offset have been acknowledged.
func (c *committer) mark(tp TopicPartition, offset int64) {
	c.mu.Lock()
	c.dirty[tp] = max(c.dirty[tp], offset)
	c.mu.Unlock()
}

// run commits until the context is done. It returns ErrRevoked early if the generation has ended,
// because nothing can be committed then.
func (c *committer) run(ctx context.Context) error {
	tick := time.NewTicker(c.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if ctx.Err() != nil {
			return nil // both channels were ready
		}
		if err := c.commit(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// commit commits the offsets marked since the last call. It retries until the commit succeeds, the
// generation ends or the context is done.
func (c *committer) commit(ctx context.Context) error {
	for attempt := 1; ; attempt++ {
		positions := c.drain()
		if len(positions) == 0 {
			return nil
		}
		err := c.gen.Commit(ctx, positions)
		if err == nil {
			for _, p := range positions {
				c.retry.hooks.committed(p)
			}
			return nil
		}
		for _, p := range positions {
			c.mark(p.TopicPartition, p.Offset)
		}
		if errors.Is(err, ErrRevoked) || ctx.Err() != nil {
			return err
		}
		if !c.retry.pause(ctx, "commit", attempt, attempt, err) {
			return ctx.Err()
		}
	}
}

// drain removes and returns the marked offsets.
func (c *committer) drain() []Position {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := offsets.Sorted(c.dirty)
	clear(c.dirty)
	return out
}
