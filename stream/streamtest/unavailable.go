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

// ErrAway is why a Registry gives nothing.
var ErrAway = errors.New("the registry is away")

// Registry is a decoder of Numbers some of which need what is kept elsewhere: "name:1 2"
// needs name. As long as it is away it gives out nothing that it has not given out before.
// What it has named bad it never gives out.
type Registry struct {
	Numbers
	// Bad is a name that it does not have.
	Bad string
	// Direct: it is asked while a message is decoded.
	Direct bool

	mu    sync.Mutex
	away  bool
	known map[string]bool
	asked int
}

// SetAway says whether it is away.
func (r *Registry) SetAway(away bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = away
}

// Asked is how often it was asked.
func (r *Registry) Asked() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked
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

// have says what is missing of a name.
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
	r.asked++
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

// away runs a stage whose registry is away for a while, twice: over a stop, and until it
// is back.
func away(b *bench, exactlyOnce bool) {
	registry := &Registry{Bad: "never"}
	registry.SetAway(true)
	s := newStage(b, &Learner{})
	s.exactlyOnce, s.decoder = exactlyOnce, registry
	const each, early = 60, 20
	for p := range 2 {
		var messages []stream.Message
		for n := range each {
			m := stream.Message{Key: fmt.Append(nil, "key ", n%3), Value: fmt.Append(nil, n)}
			switch {
			case n == 30:
				m.Value = []byte("never:1")
			case n >= early && n%4 == 0:
				m.Value = fmt.Append(nil, "schema ", n%8, ":", n)
			}
			messages = append(messages, m)
		}
		b.h.Produce(b.T, b.topic, p, messages...)
	}
	// In one life it does not come back, in the other it does.
	for _, back := range []bool{false, true} {
		ctx, stop := context.WithCancel(b.ctx)
		retried := s.retried.Load()
		go func() {
			for ctx.Err() == nil && (s.delivered.Load() < 2*early || s.retried.Load() < retried+3) {
				time.Sleep(5 * time.Millisecond)
			}
			if !back {
				stop()
			}
			registry.SetAway(!back)
		}()
		if back {
			s.until(2 * each)
		} else if took, err := s.run(ctx); err != nil || took > 10*time.Second+slack {
			b.Fatalf("stopping took %v: %v", took, err)
		}
		stop()
	}
	if c := s.check(); c.Placed != 2*(each-1) || c.Letters != 2 || exactlyOnce && c.Duplicates > 0 {
		b.Errorf("%+v", c)
	}
}
