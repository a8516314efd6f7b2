package streamtest

import (
	"context"
	"sync"
	"testing"
	"time"
)

// Patience is the time limit of waiting in tests, far above the usual time, because the machine may
// be busy.
const Patience = 2 * time.Minute

// Await waits until a condition holds.
func Await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(Patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", Patience, what)
		}
	}
}

// Background is a function that runs in the background of a test.
type Background struct {
	t     testing.TB
	ended chan struct{}
	stop  func() error
}

// Go runs f in the background until Stop is called, at the latest until the end of the test.
func Go(t testing.TB, f func(context.Context) error) *Background {
	ctx, cancel := context.WithCancel(context.Background())
	b := &Background{t: t, ended: make(chan struct{})}
	var err error
	go func() {
		defer close(b.ended)
		err = f(ctx)
	}()
	b.stop = sync.OnceValue(func() error {
		cancel()
		<-b.ended
		return err
	})
	t.Cleanup(func() { _ = b.Stop() })
	return b
}

// Ended reports whether f has returned.
func (b *Background) Ended() bool {
	select {
	case <-b.ended:
		return true
	default:
		return false
	}
}

// Stop ends the context of f, waits for f and returns its error.
func (b *Background) Stop() error { return b.stop() }

// Await waits until a condition holds, and fails the test if f ends before that.
func (b *Background) Await(what string, holds func() bool) {
	b.t.Helper()
	Await(b.t, what, func() bool {
		if !b.Ended() {
			return holds()
		}
		if !holds() {
			b.t.Fatalf("it ended before: %s: %v", what, b.Stop())
		}
		return true
	})
}
