// Package backoff waits between attempts. Pauses double with each failure, and a context can end
// them.
package backoff

import (
	"context"
	"time"
)

// Pauses double from Least up to Most.
type Pauses struct{ Least, Most time.Duration }

// After returns the pause after the given number of consecutive failures, counted from 1.
func (p Pauses) After(failures int) time.Duration {
	pause := p.Least
	for range failures - 1 {
		if pause >= p.Most/2 {
			return max(p.Least, p.Most)
		}
		pause *= 2
	}
	return pause
}

// Wait waits for d. If the context ends first, it returns the context's cause.
func Wait(ctx context.Context, d time.Duration) error { return WaitFor(ctx, d, nil) }

// WaitFor is Wait that also ends early, without an error, when more receives a value.
func WaitFor(ctx context.Context, d time.Duration, more <-chan struct{}) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-more:
	case <-t.C:
	}
	return nil
}
