package stream_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"unfold/stream"
	"unfold/stream/streamtest"
)

// The lag is reported before anything was delivered, grows while the sink fails, and returns to 0.
// A partition that stands still is reported with the time since when.
func TestLagWhileStuck(t *testing.T) {
	b := newBroker(2)
	learner := &streamtest.Learner{Min: 1}
	b.Append("in", 0, stream.Message{Value: []byte("1")})
	warm := start(t, b, learner)
	running := warm.run(t)
	running.Await("there is a map", func() bool { return learner.Current() != nil && warm.delivered.Load() == 1 })
	if err := running.Stop(); err != nil {
		t.Fatal(err)
	}
	warm.source.Close()

	for n := range 9 {
		b.Append("in", 1, stream.Message{Value: fmt.Append(nil, n)})
	}
	mend := breakSink(b)
	p := start(t, b, learner)
	var mu sync.Mutex
	lags := map[int]int64{}
	p.pipeline.Settings.LagEvery = time.Millisecond
	p.pipeline.Hooks.Lag = func(tp stream.TopicPartition, n int64) { mu.Lock(); lags[tp.Partition] = n; mu.Unlock() }
	lag := func(partition int) int64 {
		mu.Lock()
		defer mu.Unlock()
		n, ok := lags[partition]
		return map[bool]int64{true: n, false: -1}[ok]
	}
	begun := time.Now()
	running = p.run(t)
	running.Await("the lag is known from the start", func() bool { return lag(0) == 0 && lag(1) == 9 })
	b.Append("in", 1, stream.Message{Value: []byte("9")})
	running.Await("it follows the log's end", func() bool { return lag(1) == 10 })
	running.Await("the partition stands still", func() bool {
		list, _, failing := p.pipeline.Standing(20 * time.Millisecond)
		return failing == nil && len(list) == 1 && list[0].Partition == 1 && list[0].Ahead == 10 && !list[0].Since.Before(begun)
	})
	if list, _, _ := p.pipeline.Standing(time.Hour); len(list) != 0 {
		t.Errorf("%v have stood still for an hour", list)
	}
	mend()
	running.Await("all is done", func() bool { return lag(1) == 0 })
	if list, _, _ := p.pipeline.Standing(0); len(list) != 0 {
		t.Errorf("%v still stand", list)
	}
	if err := running.Stop(); err != nil {
		t.Fatal(err)
	}
	if list, _, failing := p.pipeline.Standing(0); len(list) != 0 || failing != nil {
		t.Errorf("after the end: %v, %v", list, failing)
	}
}

// breakSink makes writes to the output topic fail until mend is called.
func breakSink(b *streamtest.Broker) (mend func()) {
	var mu sync.Mutex
	broken := true
	b.Fault(func(op streamtest.Op) error {
		mu.Lock()
		defer mu.Unlock()
		if broken && op == streamtest.OpWrite {
			return errBroken
		}
		return nil
	})
	return func() { mu.Lock(); broken = false; mu.Unlock() }
}
