package stream_test

import (
	"testing"

	"unfold/stream"
	"unfold/stream/streamtest"
)

// Bad messages do not wait for the first map: a topic of bad messages alone becomes dead letters,
// is committed, and is not kept in memory.
func TestDeadLettersBeforeTheFirstMap(t *testing.T) {
	b := newBroker(1)
	for range 50 {
		b.Append("in", 0, stream.Message{Value: []byte("nonsense")})
	}
	learner := &streamtest.Learner{Min: 2}
	p := start(t, b, learner)
	running := p.run(t)
	running.Await("50 letters before any event", func() bool { return len(b.Messages("dlq")) == 50 && committed(b) == 50 })
	b.Append("in", 0, stream.Message{Value: []byte("1")}, stream.Message{Value: []byte("nonsense")})
	running.Await("a letter behind an event", func() bool { return len(b.Messages("dlq")) == 51 })
	if c := committed(b); c != 50 {
		t.Errorf("committed %d before the event at 50 was placed", c)
	}
	b.Append("in", 0, stream.Message{Value: []byte("2")}, stream.Message{Value: []byte("nonsense")})
	running.Await("all with the map", func() bool { return len(b.Messages("dlq")) == 52 && committed(b) == 54 })
	if err := running.Stop(); err != nil {
		t.Fatal(err)
	}
	if c := settle(t, b, learner); c != (streamtest.Count{Placed: 2, Letters: 52}) {
		t.Errorf("%+v", c)
	}
}
