package stream_test

import (
	"sync/atomic"
	"testing"
	"time"

	"unfold/stream"
	"unfold/stream/streamtest"
)

// weighty decodes messages with a fixed weight and counts concurrent calls.
type weighty struct {
	streamtest.Numbers
	weight   int64
	at, most *atomic.Int64
}

func (w weighty) Weigh(*stream.Message) int64 { return w.weight }

func (w weighty) Decode(m stream.Message) (stream.Events, error) {
	now := w.at.Add(1)
	defer w.at.Add(-1)
	for most := w.most.Load(); now > most && !w.most.CompareAndSwap(most, now); most = w.most.Load() {
	}
	time.Sleep(time.Millisecond)
	return w.Numbers.Decode(m)
}

// Messages of several partitions that need too much memory together are processed one after the
// other. None waits for ever, even if it needs too much alone.
func TestWorkIsBounded(t *testing.T) {
	for name, c := range map[string]struct{ weight, together int64 }{
		"more than there is": {1 << 20, 1}, "one of two": {500, 1}, "two of two": {100, 2},
	} {
		t.Run(name, func(t *testing.T) {
			const partitions, each = 2, 20
			b := newBroker(partitions)
			for p := range partitions {
				b.Append("in", p, heavy(0, each, 10)...)
			}
			p := start(t, b, &streamtest.Learner{Pause: time.Millisecond})
			d := weighty{weight: c.weight, at: new(atomic.Int64), most: new(atomic.Int64)}
			p.pipeline.Decoder = d
			// 1,600 bytes are enough for one message, and for two light ones together.
			p.pipeline.Settings.WorkBytes, p.pipeline.Settings.BatchMessages = 2000, 1
			running := p.run(t)
			running.Await("all messages are delivered", func() bool { return p.delivered.Load() >= partitions*each })
			if err := running.Stop(); err != nil {
				t.Fatal(err)
			}
			if most := d.most.Load(); most > c.together {
				t.Errorf("up to %d were decoded at a time", most)
			}
		})
	}
}
