package stream

import (
	"context"
	"errors"
	"time"
)

// retrier tries again what fails, with growing pauses, until the context is done.
type retrier struct {
	min, max time.Duration
	hooks    *Hooks
}

// write writes all messages, however often the sink fails: a message is never
// skipped, whatever the reason. It returns nil when all are acknowledged, else the
// context's error.
func (r retrier) write(ctx context.Context, what string, sink Sink, messages []Message) error {
	pause := r.min
	for attempt := 1; len(messages) > 0; attempt++ {
		err := sink.Write(ctx, messages)
		if err == nil {
			return nil
		}
		if rest := remaining(messages, err); len(rest) < len(messages) {
			messages, pause = rest, r.min
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.hooks.retrying(what, attempt, err, pause)
		if !sleep(ctx, pause) {
			return ctx.Err()
		}
		pause = min(2*pause, r.max)
	}
	return nil
}

// remaining returns the messages that a failed write has left.
func remaining(messages []Message, err error) []Message {
	var we *WriteError
	if !errors.As(err, &we) {
		return messages
	}
	rest := make([]Message, len(we.Remaining))
	for k, i := range we.Remaining {
		rest[k] = messages[i]
	}
	return rest
}

// sleep waits; it returns false if the context was done before.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
