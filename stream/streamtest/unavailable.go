package streamtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"unfold/stream"
)

// ErrAway is the error of an unavailable Registry.
var ErrAway = errors.New("the registry is away")

// Registry is a decoder of Numbers. Some of them need a resource: "name:1 2" needs name. While it
// is unavailable, it returns only names that it has returned before. It never returns the name Bad.
type Registry struct {
	Numbers
	// Bad is a name that does not exist.
	Bad string
	// Direct makes decoding fetch the name itself.
	Direct bool

	mu    sync.Mutex
	away  bool
	known map[string]bool
}

// SetAway makes the registry unavailable, or available again.
func (r *Registry) SetAway(away bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = away
}

// Decode implements stream.Decoder.
func (r *Registry) Decode(m stream.Message) (stream.Events, error) {
	name, rest, named := strings.Cut(string(m.Value), ":")
	if !named {
		return r.Numbers.Decode(m)
	}
	if err := r.have(name); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Where(), err)
	}
	m.Value = []byte(rest)
	return r.Numbers.Decode(m)
}

// have returns an error if a name is not known.
func (r *Registry) have(name string) error {
	r.mu.Lock()
	known := r.known[name]
	r.mu.Unlock()
	switch {
	case known:
		return nil
	case r.Direct:
		return r.fetch(name)
	}
	return &stream.UnavailableError{Err: fmt.Errorf("%s is not known yet", name), Fetch: func(context.Context) error { return r.fetch(name) }}
}

func (r *Registry) fetch(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.away:
		return &stream.UnavailableError{Err: ErrAway}
	case name == r.Bad:
		return fmt.Errorf("there is no %s", name)
	case r.known == nil:
		r.known = map[string]bool{}
	}
	r.known[name] = true
	return nil
}

func testUnavailable(b *bench) { away(b, false) }

func testUnavailableExactlyOnce(b *bench) { away(b, true) }

// away runs a stage whose registry becomes unavailable after early messages have been decoded. It
// stays unavailable over a restart, and then becomes available again.
func away(b *bench, exactlyOnce bool) {
	s := newStage(b, &Learner{})
	s.exactlyOnce = exactlyOnce
	const each, early, known = 60, 20, 22
	feed := func(from, to int) {
		for p := range 2 {
			var messages []stream.Message
			for n := from; n < to; n++ {
				m := stream.Message{Key: fmt.Append(nil, "key ", n%3), Value: b.kind.Value(n)}
				switch {
				case n == 30:
					m.Value = b.kind.Lacking
				case n >= known && n%4 == known%4:
					m.Value = b.kind.Needy(n)
				}
				messages = append(messages, m)
			}
			b.h.Produce(b.T, b.topic, p, messages...)
		}
	}
	feed(0, early)
	// In the first run the registry becomes unavailable, in the second it becomes available again.
	for _, back := range []bool{false, true} {
		retried := s.retried.Load()
		running := Go(b.T, func(ctx context.Context) error { _, err := s.run(ctx); return err })
		delivered := func(events int64) func() bool { return func() bool { return s.delivered.Load() >= events } }
		if !back {
			running.Await("early events are delivered", delivered(2*early))
			b.kind.Away(true)
			feed(early, each)
		}
		running.Await("what is known is delivered", delivered(2*known))
		running.Await("the rest is tried again", func() bool { return s.retried.Load() >= retried+3 })
		if back {
			b.kind.Away(false)
			running.Await("all is delivered", delivered(2*each))
		}
		start := time.Now()
		if err, took := running.Stop(), time.Since(start); err != nil || took > 10*time.Second+slack {
			b.Fatalf("stopping took %v: %v", took, err)
		}
	}
	if c := s.check(); c.Placed != 2*(each-1) || c.Letters != 2 || exactlyOnce && c.Duplicates > 0 {
		b.Errorf("%+v", c)
	}
}
