// Package ending cancels a call at each point at which it checks its context, one after the other:
//
//	for left := 0; ; left++ {
//		if err := call(ending.After(t.Context(), left)); err == nil {
//			break // it asked no more than left times
//		}
//	}
package ending

import "context"

// After returns a context whose Err returns nil for the first questions calls, and context.Canceled
// from then on. It is for a single goroutine.
func After(ctx context.Context, questions int) context.Context {
	return &counted{ctx, questions}
}

type counted struct {
	context.Context
	left int
}

// Err implements context.Context.
func (c *counted) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}
