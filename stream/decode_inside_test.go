package stream

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"unfold/internal/backoff"
)

// decodes is a Decoder made of a function.
type decodes func(m Message) (Events, error)

func (d decodes) Decode(m Message) (Events, error) { return d(m) }

// decoder returns a worker with a decoder and a first retry after a second.
func decoder(t *testing.T, d Decoder) *worker {
	w, _ := settler(t)
	w.p.Decoder = d
	w.retry = retrier{backoff.Pauses{Least: time.Second, Most: time.Hour}, &w.p.Hooks}
	return w
}

// An unavailable resource is fetched once before each pause. Pauses grow until it is available.
func TestDecodeTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := errors.New("away")
		decoded, fetched := 0, 0
		missing := &UnavailableError{Err: away, Fetch: func(context.Context) error { fetched++; return &UnavailableError{Err: away} }}
		w := decoder(t, decodes(func(Message) (Events, error) {
			if decoded++; decoded <= 5 {
				return nil, missing
			}
			return nothing{}, nil
		}))
		var attempts []int
		w.p.Hooks.Retrying = func(what string, attempt int, err error, _ time.Duration) {
			if attempts = append(attempts, attempt); what != "decode" || !errors.Is(err, away) {
				t.Errorf("%s: %v", what, err)
			}
		}
		batch := []*entry{{}, {}}
		n, err := w.decodeAll(t.Context(), t.Context(), batch)
		if n != 2 || err != nil || !batch[0].good() || !batch[1].good() || !slices.Equal(attempts, []int{1, 2, 3, 4, 5}) || fetched != 5 {
			t.Errorf("%d are decoded, %v; attempts %v, %d fetches", n, err, attempts, fetched)
		}
	})
}

// A decoded message does not wait for the next one, for which a resource is unavailable.
func TestDecodedBeforeMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := decoder(t, decodes(func(m Message) (Events, error) {
			if m.Offset > 0 {
				return nil, &UnavailableError{Err: errors.New("away")}
			}
			return nothing{}, nil
		}))
		w.p.Hooks.Retrying = func(string, int, error, time.Duration) { t.Error("the first message waits for the second") }
		if n, err := w.decodeAll(t.Context(), t.Context(), []*entry{{}, {message: Message{Offset: 1}}}); n != 1 || err != nil {
			t.Errorf("%d are decoded, %v", n, err)
		}
	})
}

// Messages that have waited for the first map are placed before a message for which a resource is
// unavailable.
func TestReleasedBeforeMissing(t *testing.T) {
	w := decoder(t, decodes(func(Message) (Events, error) { return nil, &UnavailableError{Err: errors.New("away")} }))
	w.waiting = []*entry{{}}
	w.p.Hooks.Retrying = func(string, int, error, time.Duration) { t.Error("messages that can be placed wait") }
	if n, err := w.decodeAll(t.Context(), t.Context(), []*entry{{}}); n != 0 || err != nil {
		t.Errorf("%d are decoded, %v", n, err)
	}
}

// A goroutine is abandoned if it was at the same message before, but not if it has decoded all
// messages.
func TestHelperIsGivenUp(t *testing.T) {
	for _, c := range []struct {
		at, before int
		left       bool
	}{{0, -1, false}, {0, 0, true}, {1, 0, false}, {1, 1, true}, {2, 1, false}, {2, 2, false}} {
		d := &decoding{batch: []*entry{{}, {}}, at: c.at}
		if at, left := d.look(c.before); at != c.at || left != c.left || d.left != c.left {
			t.Errorf("at message %d of 2, before at %d: given up %v", at, c.before, left)
		}
	}
}

// Messages that take nearly DecodeTime are decoded: the goroutine advances between two ticks.
func TestSlowIsNotStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := decoder(t, decodes(func(Message) (Events, error) { time.Sleep(900 * time.Millisecond); return nothing{}, nil }))
		w.p.settings.DecodeTime = time.Second
		batch := []*entry{{}, {}, {}, {}}
		n, err := w.decodeAll(t.Context(), t.Context(), batch)
		for i, e := range batch {
			if !e.good() {
				t.Errorf("message %d is bad: %v", i, e.bad)
			}
		}
		if n != len(batch) || err != nil {
			t.Errorf("%d are decoded, %v", n, err)
		}
	})
}
