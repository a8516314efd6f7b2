package stream_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"unfold/stream"
	"unfold/stream/streamtest"
)

// beating decodes numbers and skips heartbeats.
type beating struct{ streamtest.Numbers }

func (b beating) Decode(m stream.Message) (stream.Events, error) {
	if strings.HasPrefix(string(m.Value), "beat") {
		return nil, &stream.MessageError{Stage: stream.StageDecode, Err: &stream.SkippedError{Kind: "heartbeat"}}
	}
	return b.Numbers.Decode(m)
}

// TestSkipped: messages without events are counted and their offsets committed. Nothing is written
// for them, before and after the first map.
func TestSkipped(t *testing.T) {
	for _, exactlyOnce := range []bool{false, true} {
		for _, learnOnly := range []bool{false, true} {
			if exactlyOnce && learnOnly {
				continue
			}
			t.Run(fmt.Sprintf("exactly once %t, learning only %t", exactlyOnce, learnOnly), func(t *testing.T) {
				b := streamtest.NewBroker()
				for _, topic := range []string{"in", "out", "dlq"} {
					b.CreateTopic(topic, 1)
				}
				const n = 60
				for i := range n {
					value := fmt.Sprint(i)
					if i%3 == 2 { // also the last one
						value = "beat"
					}
					b.Append("in", 0, stream.Message{Value: []byte(value)})
				}
				p := startAs(t, b, &streamtest.Learner{Min: 10}, exactlyOnce)
				var skipped atomic.Int64
				p.pipeline.Decoder, p.pipeline.LearnOnly = beating{}, learnOnly
				p.pipeline.Hooks.Skipped = func(m stream.Message, stage stream.Stage, reason error) {
					if string(m.Value) != "beat" || stage != stream.StageDecode {
						t.Errorf("%s was skipped: %v", m.Value, reason)
					}
					skipped.Add(1)
				}
				running := p.run(t)
				running.Await("all offsets are committed", func() bool { return committed(b) == n })
				if err := running.Stop(); err != nil {
					t.Error(err)
				}
				want := 2 * n / 3
				if learnOnly {
					want = 0
				}
				if out, letters := len(b.Messages("out")), len(b.Messages("dlq")); out != want || letters != 0 || skipped.Load() != n/3 {
					t.Errorf("%d outputs, %d dead letters, %d skipped; want %d, 0, %d", out, letters, skipped.Load(), want, n/3)
				}
			})
		}
	}
}
