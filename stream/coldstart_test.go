package stream_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"unfold/stream"
	"unfold/stream/streamtest"
)

// Bad messages do not wait for a map that they have no part in: a topic of
// nothing else becomes dead letters, is committed, and is not kept in memory.
func TestDeadLettersBeforeTheFirstMap(t *testing.T) {
	b := newBroker(1)
	for range 50 {
		b.Append("in", 0, stream.Message{Value: []byte("nonsense")})
	}
	learner := &streamtest.Learner{Min: 2}
	p := start(t, b, learner)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.pipeline.Run(ctx) }()
	committed := func() int64 { return b.Committed("group", "in")[0] }
	await := func(what string, is func() bool) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); !is(); {
			if time.Now().After(end) {
				t.Fatalf("%s: %d letters, %d outputs, committed %d", what, len(b.Messages("dlq")), len(b.Messages("out")), committed())
			}
			time.Sleep(time.Millisecond)
		}
	}
	await("before any event", func() bool { return len(b.Messages("dlq")) == 50 && committed() == 50 })
	b.Append("in", 0, stream.Message{Value: []byte("1")}, stream.Message{Value: []byte("nonsense")})
	await("behind an event", func() bool { return len(b.Messages("dlq")) == 51 })
	if c := committed(); c != 50 {
		t.Errorf("committed %d before the event at 50 was placed", c)
	}
	b.Append("in", 0, stream.Message{Value: []byte("2")}, stream.Message{Value: []byte("nonsense")})
	await("with the map", func() bool { return len(b.Messages("dlq")) == 52 && committed() == 54 })
	cancel()
	if err := errors.Join(<-done, p.source.Close()); err != nil {
		t.Fatal(err)
	}
	if c := settle(t, b, learner); c != (streamtest.Count{Placed: 2, Letters: 52}) {
		t.Errorf("%+v", c)
	}
}
