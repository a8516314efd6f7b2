package stream

import (
	"context"
	"errors"
)

// UnavailableError is returned if a resource that decoding or placing a message needs is
// temporarily unavailable, such as a schema registry. The message is not bad: its partition waits,
// and it is retried with growing pauses.
type UnavailableError struct {
	Err error
	// Fetch, if a Decoder sets it, fetches the resource. It is called before the first pause and
	// after each pause, and is not limited by Settings.DecodeTime. If it returns nil, the message
	// is decoded again at once. After an *UnavailableError it is retried later, and after any other
	// error the message is bad.
	Fetch func(ctx context.Context) error
}

func (e *UnavailableError) Error() string { return e.Err.Error() }

func (e *UnavailableError) Unwrap() error { return e.Err }

// unavailable returns the UnavailableError in the chain of err, nil if there is none.
func unavailable(err error) (u *UnavailableError) {
	if !errors.As(err, &u) {
		return nil
	}
	return u
}

// await makes one attempt to get an unavailable resource. It calls Fetch, unless that has been
// tried in vain, or pauses. An error means that the resource will never be available.
func (r retrier) await(ctx context.Context, what string, missing *UnavailableError, attempt int, vain bool) (fetched bool, err error) {
	err = missing
	if missing.Fetch != nil && !vain {
		if err = missing.Fetch(ctx); err == nil {
			return true, nil
		}
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if unavailable(err) == nil {
		return false, err
	}
	return false, r.later(ctx, what, attempt, err)
}

// later reports a failure and pauses.
func (r retrier) later(ctx context.Context, what string, attempt int, err error) error {
	if !r.pause(ctx, what, attempt, attempt, err) {
		return ctx.Err()
	}
	return nil
}
