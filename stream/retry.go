package stream

import (
	"context"
	"errors"

	"unfold/internal/backoff"
	"unfold/internal/vec"
)

// retrier retries failed operations with growing pauses until the context is done.
type retrier struct {
	backoff.Pauses
	hooks *Hooks
}

// write writes all messages and retries until the sink succeeds; no message is skipped for any
// reason. It returns nil when all are acknowledged. It returns a *RefusedError if the topic rejects
// some, together with the indices that are still to be written. Otherwise it returns the context's
// error.
func (r retrier) write(ctx context.Context, what string, sink Sink, messages []Message) (left []int, err error) {
	failures := 0    // since some messages were written
	rest := messages // the messages with indices in left; all if left is nil
	for attempt := 1; len(rest) > 0; attempt++ {
		err := sink.Write(ctx, rest)
		if err == nil {
			return nil, nil
		}
		before := left
		if left = remaining(left, len(rest), err); len(left) < len(rest) {
			failures = 0
		}
		var refused *RefusedError
		if errors.As(err, &refused) {
			return left, refused.among(before)
		}
		rest = vec.Pick(messages, left)
		if ctx.Err() != nil {
			return left, ctx.Err()
		}
		failures++
		if !r.pause(ctx, what, attempt, failures, err) {
			return left, ctx.Err()
		}
	}
	return nil, nil
}

// remaining returns the indices of the messages that a failed write of n messages has left. among
// contains their indices among all messages, nil if they are all.
func remaining(among []int, n int, err error) []int {
	if among == nil {
		among = make([]int, n)
		for i := range among {
			among[i] = i
		}
	}
	var we *WriteError
	if !errors.As(err, &we) {
		return among
	}
	return vec.Pick(among, we.Remaining)
}

// pause reports a failure and waits. It returns false if the context was done first.
func (r retrier) pause(ctx context.Context, what string, attempt, failures int, err error) bool {
	d := r.After(failures)
	r.hooks.retrying(what, attempt, err, d)
	return backoff.Wait(ctx, d) == nil
}
