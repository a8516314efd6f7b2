package stream

import (
	"context"
	"errors"
)

// UnavailableError says that what decoding or placing a message needs from elsewhere, such
// as a schema registry, cannot be had now. The message is not bad: its partition waits,
// and it is tried again with growing pauses.
type UnavailableError struct {
	Err error
	// Fetch, if a Decoder sets it, gets what is missing. It is called before the first
	// pause and after each one, outside of Settings.DecodeTime. If it returns nil the message is
	// decoded again at once, after an *UnavailableError later, and after another error the
	// message is bad.
	Fetch func(ctx context.Context) error
}

func (e *UnavailableError) Error() string { return e.Err.Error() }

func (e *UnavailableError) Unwrap() error { return e.Err }

// unavailable is the error as one that may go away, nil if it is none.
func unavailable(err error) (u *UnavailableError) {
	if !errors.As(err, &u) {
		return nil
	}
	return u
}

// await does what it takes, once, until something missing may be there: it fetches it,
// unless that has been tried in vain, or waits. The error says why it never will be there.
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

// later reports a failure and waits.
func (r retrier) later(ctx context.Context, what string, attempt int, err error) error {
	if !r.pause(ctx, what, attempt, attempt, err) {
		return ctx.Err()
	}
	return nil
}
