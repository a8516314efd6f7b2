package stream_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"unfold/stream"
	"unfold/stream/streamtest"
)

// A learn-only pipeline offers each message once, writes nothing, and commits the offsets that a
// map includes.
func TestLearnOnly(t *testing.T) {
	b := newBroker(2)
	learner := &streamtest.Learner{Min: 6}
	append3 := func(from int) {
		for n := from; n < from+3; n++ {
			b.Append("in", n%2, stream.Message{Value: fmt.Append(nil, n)})
		}
	}
	append3(0)
	b.Append("in", 0, stream.Message{Value: []byte("nonsense")})
	p := start(t, b, learner)
	p.pipeline.Sink, p.pipeline.DeadLetter, p.pipeline.LearnOnly = nil, nil, true
	var mu sync.Mutex
	passed := 0
	p.pipeline.Hooks.Skipped = func(m stream.Message, stage stream.Stage, reason error) {
		mu.Lock()
		defer mu.Unlock()
		if passed++; string(m.Value) != "nonsense" || stage != stream.StageDecode || reason == nil {
			t.Errorf("skipped %q in %s: %v", m.Value, stage, reason)
		}
	}
	running := p.run(t)
	running.Await("the message that cannot be read is skipped", func() bool { mu.Lock(); defer mu.Unlock(); return passed == 1 })
	time.Sleep(20 * time.Millisecond)
	if c := b.Committed("group", "in"); c[0] > 0 || c[1] > 0 {
		t.Errorf("before there is a map %v is committed", c)
	}
	append3(3)
	running.Await("with the first map all is committed", func() bool { c := b.Committed("group", "in"); return c[0] == 4 && c[1] == 3 })
	append3(6)
	running.Await("what follows is committed", func() bool { c := b.Committed("group", "in"); return c[0] == 6 && c[1] == 4 })
	if err := running.Stop(); err != nil {
		t.Fatal(err)
	}
	if n := len(b.Messages("out")) + len(b.Messages("dlq")); n != 0 {
		t.Errorf("%d messages were written", n)
	}
}

func TestLearnOnlyIsNotExactlyOnce(t *testing.T) {
	p := start(t, newBroker(1), &streamtest.Learner{})
	defer p.source.Close()
	p.pipeline.LearnOnly, p.pipeline.ExactlyOnce = true, true
	if err := p.pipeline.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "only learns") {
		t.Errorf("it says %v", err)
	}
}
