package registry

import (
	"context"
	"errors"
	"sync"
	"time"

	"unfold/stream"
)

const (
	// room is the maximum size of cached responses in bytes; then some are evicted.
	room = 256 << 20
	// refusals is the number of cached permanent errors, and patience the time they are cached,
	// since the registry may be corrected. An unknown schema may be registered at any time.
	refusals        = 4096
	patience        = time.Minute
	patienceUnknown = 5 * time.Second
)

// cache caches responses by a key. Concurrent callers for the same key share one request.
type cache[K comparable, V any] struct {
	weigh func(V) int

	mu      sync.Mutex
	known   map[K]V
	weight  int
	refused map[K]refusal
	flights map[K]*flight[V]
}

// refusal is an error that is cached for a while.
type refusal struct {
	err   error
	until time.Time
}

// flight is a request in progress until done is closed.
type flight[V any] struct {
	done  chan struct{}
	value V
	err   error
	left  bool // the caller that asked gave up
}

func newCache[K comparable, V any](weigh func(V) int) cache[K, V] {
	return cache[K, V]{weigh: weigh, known: map[K]V{}, refused: map[K]refusal{}, flights: map[K]*flight[V]{}}
}

// get returns the cached value, or requests it.
func (c *cache[K, V]) get(ctx context.Context, key K, ask func(context.Context) (V, error)) (v V, err error) {
	for {
		c.mu.Lock()
		if v, ok := c.known[key]; ok {
			c.mu.Unlock()
			return v, nil
		}
		if r, ok := c.refused[key]; ok {
			if time.Now().Before(r.until) {
				c.mu.Unlock()
				return v, r.err
			}
			delete(c.refused, key)
		}
		f, under := c.flights[key]
		if !under {
			f = &flight[V]{done: make(chan struct{})}
			c.flights[key] = f
		}
		c.mu.Unlock()
		if !under {
			f.value, f.err = ask(ctx)
			f.left = ctx.Err() != nil
			c.land(key, f)
			return f.value, f.err
		}
		select {
		case <-f.done:
			if !f.left || f.err == nil {
				return f.value, f.err
			}
		case <-ctx.Done():
			return v, ctx.Err()
		}
	}
}

// land keeps the answer of a request.
func (c *cache[K, V]) land(key K, f *flight[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.flights, key)
	var unavailable *stream.UnavailableError
	switch {
	case f.err == nil:
		for other, v := range c.known {
			if c.weight+c.weigh(f.value) <= room {
				break
			}
			delete(c.known, other)
			c.weight -= c.weigh(v)
		}
		c.known[key] = f.value
		c.weight += c.weigh(f.value)
	case f.left || errors.As(f.err, &unavailable):
	default:
		if len(c.refused) >= refusals {
			clear(c.refused)
		}
		wait := patience
		if unknown := (*UnknownError)(nil); errors.As(f.err, &unknown) {
			wait = patienceUnknown
		}
		c.refused[key] = refusal{f.err, time.Now().Add(wait)}
	}
	close(f.done)
}
