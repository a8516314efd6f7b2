package streamtest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"unfold/stream"
)

// Number is the events of a message that Numbers decoded.
type Number struct {
	N  int
	At stream.Position
}

// Len implements stream.Events.
func (Number) Len() int { return 1 }

// Numbers is a decoder of messages that hold one decimal number. Negative
// numbers decode but cannot be placed; all else is bad.
type Numbers struct{}

// Decode implements stream.Decoder.
func (Numbers) Decode(m stream.Message) (stream.Events, error) {
	n, err := strconv.Atoi(string(m.Value))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Where(), err)
	}
	return Number{n, stream.Position{TopicPartition: m.TopicPartition, Offset: m.Offset}}, nil
}

// ErrNegative is why negative numbers cannot be placed.
var ErrNegative = errors.New("a negative number has no place")

// Map is a map that places the number n of version v as "n@v".
type Map struct {
	Version uint64
	// Pause makes placing slow.
	Pause time.Duration
}

// Place implements stream.Map.
func (m Map) Place(ctx context.Context, events []stream.Events) ([]stream.Outcome, error) {
	out := make([]stream.Outcome, len(events))
	for i, e := range events {
		n := e.(Number).N
		if n < 0 {
			out[i].Err = ErrNegative
			continue
		}
		out[i].Value = fmt.Appendf(nil, "%d@%d", n, m.Version)
	}
	if m.Pause > 0 {
		time.Sleep(m.Pause)
	}
	return out, nil
}

// Learner is a learner that publishes version 1 after Min events and the next
// one after every further Every events (0: never).
type Learner struct {
	Min, Every int
	// Pause is Map.Pause.
	Pause time.Duration

	once    sync.Once
	mu      sync.Mutex
	seen    map[stream.Position]int
	current *stream.Published
	ready   chan struct{}
	fail    chan error
}

func (l *Learner) init() {
	l.once.Do(func() {
		l.seen, l.ready, l.fail = map[stream.Position]int{}, make(chan struct{}), make(chan error, 1)
		if l.Min == 0 {
			l.publish()
		}
	})
}

func (l *Learner) publish() {
	v := uint64(1)
	if l.current != nil {
		v = l.current.Version + 1
	} else {
		close(l.ready)
	}
	l.current = &stream.Published{Map: Map{v, l.Pause}, Version: v, Epoch: uint32(v), At: time.Now()}
}

// Offer implements stream.Learner.
func (l *Learner) Offer(ctx context.Context, events stream.Events) error {
	l.init()
	e := events.(Number)
	if e.N < 0 {
		return &stream.MessageError{Stage: stream.StagePlace, Err: ErrNegative}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen[e.At]++
	switch n := len(l.seen); {
	case l.seen[e.At] > 1:
	case n == l.Min, n > l.Min && l.Every > 0 && (n-l.Min)%l.Every == 0:
		l.publish()
	}
	return ctx.Err()
}

// Seen returns how many different events were offered.
func (l *Learner) Seen() int {
	l.init()
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.seen)
}

// Current implements stream.Learner.
func (l *Learner) Current() *stream.Published {
	l.init()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.current
}

// Ready implements stream.Learner.
func (l *Learner) Ready() <-chan struct{} {
	l.init()
	return l.ready
}

// Fail makes Run return err.
func (l *Learner) Fail(err error) {
	l.init()
	l.fail <- err
}

// Run implements stream.Learner.
func (l *Learner) Run(ctx context.Context) error {
	l.init()
	select {
	case <-ctx.Done():
		return nil
	case err := <-l.fail:
		return err
	}
}
