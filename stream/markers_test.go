package stream_test

import (
	"fmt"
	"testing"
	"time"

	"unfold/stream"
	"unfold/stream/streamtest"
)

// The group's offset reaches the end of the log even past offsets without messages: behind the last
// message, in a partition without messages, and while messages wait for the first map.
func TestOffsetsPassMarkers(t *testing.T) {
	for _, exactly := range []bool{false, true} {
		t.Run(fmt.Sprintf("exactly once %v", exactly), func(t *testing.T) {
			t.Parallel()
			b := newBroker(3)
			b.Append("in", 0, stream.Message{Value: []byte("1")}, stream.Message{Value: []byte("2")})
			b.Mark("in", 0, 3)
			b.Mark("in", 1, 2)
			learner := &streamtest.Learner{Min: 3}
			p := start(t, b, learner)
			p.pipeline.ExactlyOnce = exactly
			p.pipeline.Settings.CommitEvery = time.Millisecond
			p.source.MaxFetch = 1
			p.pipeline.Hooks.Fetched = func(_ stream.TopicPartition, n int) {
				if n == 0 {
					t.Error("it reports that no message was read")
				}
			}
			running := p.run(t)
			running.Await("what holds no message is committed before there is a map", func() bool { return b.Committed("group", "in")[1] == 2 })
			running.Await("the others wait for the map", func() bool { return learner.Seen() == 2 })
			if c := b.Committed("group", "in"); c[0] != 0 {
				t.Errorf("committed %v before anything was delivered", c)
			}
			b.Append("in", 2, stream.Message{Value: []byte("3")})
			running.Await("all is committed", func() bool { c := b.Committed("group", "in"); return c[0] == 5 && c[2] == 1 })
			b.Mark("in", 2, 1)
			running.Await("a marker that comes later is", func() bool { return b.Committed("group", "in")[2] == 2 })
			b.Append("in", 2, stream.Message{Value: []byte("4")})
			b.Mark("in", 2, 1)
			running.Await("so is one behind a further message", func() bool { return b.Committed("group", "in")[2] == 4 })
			if err := running.Stop(); err != nil {
				t.Fatal(err)
			}
			if n := len(b.Messages("out")); n != 4 {
				t.Errorf("%d outputs of 4 messages", n)
			}
		})
	}
}

// The lag is the number that other programs compute: the end of the log minus the group's offset.
func TestLagIsWhatOthersSee(t *testing.T) {
	b := newBroker(1)
	b.Append("in", 0, stream.Message{Value: []byte("1")})
	b.Mark("in", 0, 1)
	learner := &streamtest.Learner{Min: 2}
	p := start(t, b, learner)
	lags := make(chan int64, 1)
	p.pipeline.Settings.LagEvery = time.Millisecond
	p.pipeline.Hooks.Lag = func(_ stream.TopicPartition, n int64) {
		select {
		case <-lags:
		default:
		}
		lags <- n
	}
	running := p.run(t)
	running.Await("before the map the message and the marker are ahead", func() bool { return learner.Seen() == 1 && <-lags == 2 })
	b.Append("in", 0, stream.Message{Value: []byte("2")})
	running.Await("at rest nothing is", func() bool { return <-lags == 0 })
	if c := b.Committed("group", "in"); c[0] != 3 {
		t.Errorf("the lag is 0 and %v is committed of 3", c)
	}
	if err := running.Stop(); err != nil {
		t.Fatal(err)
	}
}
