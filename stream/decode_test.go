package stream_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"unfold/stream"
	"unfold/stream/streamtest"
)

// stubborn is a decoder that hangs at some messages until it is released.
type stubborn struct {
	streamtest.Numbers
	release chan struct{}
}

// newStubborn returns a decoder that is released at the end of the test.
func newStubborn(t *testing.T) stubborn {
	s := stubborn{release: make(chan struct{})}
	t.Cleanup(func() { close(s.release) })
	return s
}

func (s stubborn) Decode(m stream.Message) (stream.Events, error) {
	if strings.HasPrefix(string(m.Value), "stubborn") {
		<-s.release
		return nil, errors.New("too late")
	}
	return s.Numbers.Decode(m)
}

// The clock of a bubble stands still while a goroutine runs, so only a hanging decoder takes time.

// TestDecodeTime: a message that takes too long to decode becomes a dead letter with that reason.
// The messages behind it are placed in order.
func TestDecodeTime(t *testing.T) { synctest.Test(t, decodeTime) }

func decodeTime(t *testing.T) {
	b := streamtest.NewBroker()
	for topic, partitions := range map[string]int{"in": 1, "out": 1, "dlq": 1} {
		b.CreateTopic(topic, partitions)
	}
	const n = 30
	for i := range n {
		value := fmt.Sprint(i)
		if i%10 == 4 {
			value = "stubborn " + value
		}
		b.Append("in", 0, stream.Message{Value: []byte(value)})
	}
	p := start(t, b, &streamtest.Learner{})
	d := newStubborn(t)
	p.pipeline.Decoder = d
	p.pipeline.Settings.DecodeTime = 20 * time.Millisecond
	running := p.run(t)
	running.Await("all messages are delivered", func() bool { return p.delivered.Load() >= n })
	if err := running.Stop(); err != nil {
		t.Error(err)
	}
	letters := b.Messages("dlq")
	if len(letters) != 3 {
		t.Fatalf("%d dead letters", len(letters))
	}
	for _, l := range letters {
		_, why, ok := stream.ReadDeadLetter(l)
		if !ok || why.Offset%10 != 4 || why.Stage != stream.StageDecode || !strings.Contains(why.Message, stream.ErrDecodeTime.Error()) {
			t.Errorf("a dead letter of %+v", why)
		}
	}
	count, err := streamtest.Log{In: b.Messages("in"), Out: b.Messages("out"), Letters: letters}.Check()
	if err != nil || count.Placed != n-3 {
		t.Errorf("%+v, %v", count, err)
	}
}

// TestTooManyGivenUp: when the maximum number of goroutines hang, the stage blocks, and it still
// stops when asked to.
func TestTooManyGivenUp(t *testing.T) { synctest.Test(t, tooManyGivenUp) }

func tooManyGivenUp(t *testing.T) {
	b := streamtest.NewBroker()
	for _, topic := range []string{"in", "out", "dlq"} {
		b.CreateTopic(topic, 1)
	}
	for range 30 {
		b.Append("in", 0, stream.Message{Value: []byte("stubborn")})
	}
	p := start(t, b, &streamtest.Learner{})
	d := newStubborn(t)
	p.pipeline.Decoder = d
	p.pipeline.Settings.DecodeTime = time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := errors.Join(p.pipeline.Run(ctx), p.source.Close()); err != nil {
		t.Error(err)
	}
	if got := len(b.Messages("dlq")); got > 9 {
		t.Errorf("%d messages were given up at once", got)
	}
}

// slow is a decoder that takes a fixed time per message.
type slow struct {
	streamtest.Numbers
	takes time.Duration
}

func (s slow) Decode(m stream.Message) (stream.Events, error) {
	time.Sleep(s.takes)
	return s.Numbers.Decode(m)
}

// TestGivenUpAndEnded: abandoned goroutines that end later make room for others, however many
// messages take too long.
func TestGivenUpAndEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(1)
		const n = 40
		for i := range n {
			b.Append("in", 0, stream.Message{Value: fmt.Append(nil, i)})
		}
		p := start(t, b, &streamtest.Learner{})
		p.pipeline.Decoder = slow{takes: time.Second}
		p.pipeline.Settings.DecodeTime = 100 * time.Millisecond
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		p.pipeline.Hooks.DeadLettered = func(stream.Message, stream.Stage, error) {
			if p.delivered.Add(1) == n {
				cancel()
			}
		}
		if err := errors.Join(p.pipeline.Run(ctx), p.source.Close()); err != nil {
			t.Error(err)
		}
		if got := len(b.Messages("dlq")); got != n {
			t.Errorf("%d messages were given up, want %d", got, n)
		}
		time.Sleep(time.Minute) // until the last goroutines have ended
	})
}
