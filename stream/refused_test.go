package stream_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"unfold/stream"
	"unfold/stream/streamtest"
)

// keyless returns the reason why a compacted topic rejects a message.
func keyless(m stream.Message) error {
	if m.Key == nil {
		return errors.New("no key in a compacted topic")
	}
	return nil
}

// An output rejected for another reason than size is neither split nor retried. Its message becomes
// a dead letter with the reason. The rest of its batch is delivered.
func TestRefusedOutputs(t *testing.T) {
	for _, exactlyOnce := range []bool{false, true} {
		b := newBroker(1)
		bare := list(100)
		bare.Key = nil
		for _, m := range []stream.Message{list(1), bare, list(2), bare, list(100), list(1)} {
			b.Append("in", 0, m)
		}
		b.Limit("out", 400)
		b.Refuse("out", keyless)
		p := startAs(t, b, &streamtest.Learner{}, exactlyOnce)
		running := p.run(t)
		running.Await("all is committed", func() bool { return committed(b) == 6 })
		if err := running.Stop(); err != nil {
			t.Fatal(err)
		}
		count, err := streamtest.Log{In: b.Messages("in"), Out: b.Messages("out"), Letters: b.Messages("dlq")}.Check()
		if err != nil || count.Placed != 4 || count.Letters != 2 {
			t.Errorf("exactly once %v: %+v, %v", exactlyOnce, count, err)
		}
		var offsets []int64
		for _, m := range b.Messages("dlq") {
			_, why, _ := stream.ReadDeadLetter(m)
			offsets = append(offsets, why.Offset)
			if why.Stage != stream.StageWrite || !strings.Contains(why.Message, "no key in a compacted topic") || strings.Contains(why.Message, "more)") {
				t.Errorf("exactly once %v: a dead letter says %+v", exactlyOnce, why)
			}
		}
		if !slices.Equal(offsets, []int64{1, 3}) {
			t.Errorf("exactly once %v: dead letters of offsets %v", exactlyOnce, offsets)
		}
	}
}

// A dead letter rejected for another reason than size ends the stage. The error contains the
// position and both reasons; no later offset is committed.
func TestRefusedDeadLetters(t *testing.T) {
	for _, exactlyOnce := range []bool{false, true} {
		t.Run(fmt.Sprintf("exactly once %v", exactlyOnce), func(t *testing.T) {
			b := newBroker(1)
			b.Append("in", 0, list(1), stream.Message{Value: []byte("junk")}, list(1))
			b.Refuse("dlq", keyless)
			p := startAs(t, b, &streamtest.Learner{}, exactlyOnce)
			running := p.run(t)
			running.Await("it ends", running.Ended)
			err := running.Stop()
			for _, part := range []string{"offset 1", "invalid syntax", "topic dlq", "no key in a compacted topic"} {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("it ends with %v, which does not say %q", err, part)
				}
			}
			if committed(b) > 1 || len(b.Messages("dlq")) > 0 {
				t.Errorf("%d are committed, the dead letters are %v", committed(b), b.Messages("dlq"))
			}
		})
	}
}
