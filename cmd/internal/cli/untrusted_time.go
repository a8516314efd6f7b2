package cli

import (
	"context"
	"errors"
	"sync"
	"time"

	"unfold/cmd/internal/humanize"
	"unfold/ingest/input"
	"unfold/ingest/table"
)

// untrustedTime bounds the time of decoding one file, in the process that decodes it first and for
// each reader of the command itself. Tests shorten it.
var untrustedTime = 10 * time.Minute

// slowDecode is the error of a file whose decoding takes longer than a bound.
func slowDecode(path string, bound time.Duration) *table.Error {
	return &table.Error{Origin: table.Origin{File: path}, Row: -1, Problem: "decoding it takes longer than " + humanize.Span(bound), Hint: "it may be made to"}
}

// watchReaders bounds the time that a reader of an untrusted file decodes. The process that decoded
// the file first had the same bound, but the file may have been replaced since, and a decoder may
// loop on the part that the command wants. A decoder that does not return cannot be stopped: the
// command ends as if it were interrupted, and with it the process. Pipes have no bound, because
// their writer determines the time.
//
// The returned context ends with a *table.Error as its cause. watch returns the function to call
// before each call of a reader of path.
func watchReaders(ctx context.Context, bound time.Duration) (_ context.Context, watch func(path string) (before func() (after func()))) {
	ctx, end := context.WithCancelCause(ctx)
	return ctx, func(path string) func() func() {
		if input.ReadOnce(path) {
			return func() func() { return func() {} }
		}
		c := &decodeClock{left: bound, expire: func() { end(slowDecode(path, bound)) }}
		return c.begin
	}
}

// endedBySlowDecode returns the error of watchReaders if it ended the context, otherwise err.
func endedBySlowDecode(ctx context.Context, err error) error {
	var slow *table.Error
	if err != nil && errors.As(context.Cause(ctx), &slow) {
		return slow
	}
	return err
}

// decodeClock runs while at least one goroutine decodes. It is safe for concurrent use.
type decodeClock struct {
	mu     sync.Mutex
	active int
	left   time.Duration
	since  time.Time
	timer  *time.Timer
	expire func()
}

// begin starts a call. The function it returns ends the call.
func (c *decodeClock) begin() (end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.active++; c.active == 1 {
		c.since, c.timer = time.Now(), time.AfterFunc(c.left, c.expire)
	}
	return c.end
}

func (c *decodeClock) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.active--; c.active == 0 {
		c.timer.Stop()
		c.left -= time.Since(c.since)
	}
}
