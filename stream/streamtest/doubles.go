package streamtest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"unfold/stream"
)

// Number are the events of a message that Numbers decoded.
type Number struct {
	N int
	// Rest are the numbers after the first.
	Rest []int
	At   stream.Position
}

// Len implements stream.Events.
func (n Number) Len() int { return 1 + len(n.Rest) }

// Numbers is a decoder of messages with one or more decimal numbers separated by spaces. Negative
// numbers decode but cannot be placed. All other messages are bad.
type Numbers struct{}

// Decode implements stream.Decoder.
func (Numbers) Decode(m stream.Message) (stream.Events, error) {
	var all []int
	for _, word := range strings.Split(string(m.Value), " ") {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Where(), err)
		}
		all = append(all, n)
	}
	return Number{all[0], all[1:], stream.Position{TopicPartition: m.TopicPartition, Offset: m.Offset}}, nil
}

// errNegative is the error of placing a negative number.
var errNegative = errors.New("a negative number has no place")

// Map places number n as "n@v" with its version v. Several places are separated by spaces.
type Map struct {
	Version uint64
	// Pause slows placement down.
	Pause time.Duration
}

// Place implements stream.Map.
func (m Map) Place(ctx context.Context, events []stream.Events) ([]stream.Outcome, error) {
	out := make([]stream.Outcome, len(events))
	for i, e := range events {
		n := e.(Number)
		if n.N < 0 {
			out[i].Err = errNegative
			continue
		}
		parts := placed{append([]int{n.N}, n.Rest...), m.Version}
		out[i].Value, out[i].Err = parts.Part(0, n.Len())
		out[i].Parts = parts
	}
	if m.Pause > 0 {
		time.Sleep(m.Pause)
	}
	return out, nil
}

// placed are the events of a message and the map version that placed them.
type placed struct {
	numbers []int
	version uint64
}

// Part implements stream.Parts.
func (p placed) Part(from, to int) (value []byte, err error) {
	for i, n := range p.numbers[from:to] {
		if i > 0 {
			value = append(value, ' ')
		}
		value = fmt.Appendf(value, "%d@%d", n, p.version)
	}
	return value, nil
}

// Learner publishes version 1 after Min events, and the next version after every further Every
// events (0: never).
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
		return &stream.MessageError{Stage: stream.StagePlace, Err: errNegative}
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

// Seen returns the number of different events that were offered.
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
