// Package backoff waits between attempts: pauses that double while something fails, and
// that a context ends.
package backoff

import (
	"context"
	"time"
)

// Pauses double from Least up to Most.
type Pauses struct{ Least, Most time.Duration }

// After is the pause after so many failures in a row, counted from 1.
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

// Wait waits for d. It returns the context's cause if that ends before.
func Wait(ctx context.Context, d time.Duration) error { return WaitFor(ctx, d, nil) }

// WaitFor is Wait that ends early, without an error, when something comes from more.
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
