package stream_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"unfold/stream"
	"unfold/stream/streamtest"
)

// TestUnavailable: a message whose resource is unavailable blocks its partition, but not the
// others. It becomes a dead letter only if the resource will never be available.
func TestUnavailable(t *testing.T) {
	for name, c := range map[string]struct{ exactlyOnce, direct, place, waiting bool }{
		"fetched beside decoding":             {},
		"fetched while decoding":              {direct: true},
		"exactly once":                        {exactlyOnce: true},
		"missing for placing":                 {place: true},
		"missing for placing, exactly once":   {place: true, exactlyOnce: true},
		"while messages wait for the map":     {waiting: true},
		"waiting for the map, exactly once":   {waiting: true, exactlyOnce: true},
		"missing for placing what has waited": {place: true, waiting: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const n = 40
				b := newBroker(2)
				for i := range n {
					value, other := fmt.Sprint(i), fmt.Sprint(i)
					switch {
					case i == 5:
						value = "missing:5"
					case i == 7:
						value = "never:7"
					}
					b.Append("in", 0, stream.Message{Value: []byte(value)})
					b.Append("in", 1, stream.Message{Value: []byte(other)})
				}
				learner := &streamtest.Learner{}
				if c.waiting {
					learner.Min = 8
				}
				p := startAs(t, b, learner, c.exactlyOnce)
				away := &streamtest.Registry{Bad: "never", Direct: c.direct}
				p.pipeline.Decoder = away
				placing := &lacking{Learner: learner, number: 5}
				if c.place {
					p.pipeline.Learner = placing
				} else {
					away.SetAway(true)
					placing.there.Store(true)
				}
				var retried atomic.Int64
				p.pipeline.Settings.DecodeTime = time.Millisecond
				p.pipeline.Hooks.Retrying = func(what string, _ int, err error, _ time.Duration) {
					if want := map[bool]string{false: "decode", true: "place"}[c.place]; what != want || !errors.Is(err, streamtest.ErrAway) {
						t.Errorf("retrying %s: %v", what, err)
					}
					retried.Add(1)
				}
				running := p.run(t)
				running.Await("the other partition, and what comes before", func() bool {
					done := b.Committed("group", "in")
					return done[1] == n && (c.place || done[0] == 5) && retried.Load() > 20
				})
				// Bad messages that wait for the first map need not wait for the resource.
				early := len(b.Messages("dlq")) > 0 && !(c.place && c.waiting)
				if done := b.Committed("group", "in")[0]; done > 5 || early {
					t.Errorf("offset %d is committed, and %d dead letters", done, len(b.Messages("dlq")))
				}
				away.SetAway(false)
				placing.there.Store(true)
				running.Await("all is delivered", func() bool { return committed(b) == 2*n })
				if err := running.Stop(); err != nil {
					t.Error(err)
				}
				letters := b.Messages("dlq")
				count, err := streamtest.Log{In: b.Messages("in"), Out: b.Messages("out"), Letters: letters}.Check()
				if err != nil || count.Placed != 2*n-1 || len(letters) != 1 {
					t.Fatalf("%+v, %d dead letters, %v", count, len(letters), err)
				}
				if _, why, _ := stream.ReadDeadLetter(letters[0]); why.Offset != 7 || why.Stage != stream.StageDecode || !strings.Contains(why.Message, "there is no never") {
					t.Errorf("a dead letter of %+v", why)
				}
			})
		})
	}
}

// lacking is a learner whose maps cannot write the place of one number until a resource is
// available.
type lacking struct {
	*streamtest.Learner
	number int
	there  atomic.Bool
}

func (l *lacking) Current() *stream.Published {
	p := l.Learner.Current()
	if p != nil {
		with := *p
		with.Map = lackingMap{p.Map, l}
		return &with
	}
	return nil
}

type lackingMap struct {
	stream.Map
	of *lacking
}

func (m lackingMap) Place(ctx context.Context, events []stream.Events) ([]stream.Outcome, error) {
	out, err := m.Map.Place(ctx, events)
	for i, e := range events {
		if n := e.(streamtest.Number); n.N == m.of.number && n.At.Partition == 0 && !m.of.there.Load() {
			out[i] = stream.Outcome{Err: &stream.UnavailableError{Err: streamtest.ErrAway}}
		}
	}
	return out, err
}

// TestUnavailableStops: a stage that waits for an unavailable resource stops at once when asked to.
// The next run delivers the waiting messages.
func TestUnavailableStops(t *testing.T) {
	for _, c := range []struct{ place, exactlyOnce bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
		t.Run(fmt.Sprintf("place=%t,exactly-once=%t", c.place, c.exactlyOnce), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBroker(1)
				b.Append("in", 0, stream.Message{Value: []byte("missing:5")})
				learner := &streamtest.Learner{}
				p := startAs(t, b, learner, c.exactlyOnce)
				away, placing := &streamtest.Registry{}, &lacking{Learner: learner, number: 5}
				away.SetAway(!c.place)
				placing.there.Store(!c.place)
				p.pipeline.Decoder, p.pipeline.Learner = away, placing
				p.pipeline.Settings.RetryMin, p.pipeline.Settings.RetryMax = time.Hour, time.Hour
				p.pipeline.Settings.DrainTimeout = time.Hour
				waits := make(chan struct{}, 1)
				p.pipeline.Hooks.Retrying = func(string, int, error, time.Duration) { waits <- struct{}{} }
				running := p.run(t)
				<-waits
				asked := time.Now()
				if err := running.Stop(); err != nil {
					t.Error(err)
				}
				if took := time.Since(asked); took > 10*time.Second {
					t.Errorf("stopping took %v", took)
				}
				if n := len(b.Messages("out")) + len(b.Messages("dlq")); n > 0 || committed(b) > 0 {
					t.Fatalf("%d messages, committed %d", n, committed(b))
				}
				next := startAs(t, b, learner, c.exactlyOnce)
				next.pipeline.Decoder = &streamtest.Registry{}
				running = next.run(t)
				running.Await("it is delivered", func() bool { return committed(b) == 1 && len(b.Messages("out")) == 1 })
				if err := running.Stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
