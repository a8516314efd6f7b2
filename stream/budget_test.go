package stream_test

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"unfold/stream"
	"unfold/stream/streamtest"
)

// heavy returns messages with a number as value and a key of n bytes.
func heavy(from, to, n int) (out []stream.Message) {
	for i := from; i < to; i++ {
		out = append(out, stream.Message{Key: bytes.Repeat([]byte{'k'}, n), Value: fmt.Append(nil, i)})
	}
	return out
}

// A sink that is slow or blocked blocks reading. Messages read and not delivered stay within
// Settings.QueueBytes plus one fetch per partition.
func TestSlowSinkHoldsBackReading(t *testing.T) {
	const partitions, each, size, queue, fetch = 3, 60, 100_000, 1_000_000, 2
	b := newBroker(partitions)
	for p := range partitions {
		b.Append("in", p, heavy(0, each, size)...)
	}
	p := start(t, b, &streamtest.Learner{Pause: time.Millisecond})
	p.source.MaxFetch = fetch
	p.pipeline.Settings.QueueBytes, p.pipeline.Settings.BatchMessages = queue, 1
	var mu sync.Mutex
	held, most := 0, 0
	count := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		held += n
		most = max(most, held)
	}
	p.pipeline.Hooks.Fetched = func(_ stream.TopicPartition, n int) { count(n) }
	p.pipeline.Hooks.Delivered = func(_ stream.TopicPartition, n, _ int, _ time.Duration) {
		p.delivered.Add(int64(n))
		count(-n)
	}
	// The sink blocks until the queue is half full, and then for some more writes, during which
	// more could be read.
	longer := 20
	b.Fault(func(op streamtest.Op) error {
		mu.Lock()
		defer mu.Unlock()
		if op != streamtest.OpWrite || longer == 0 {
			return nil
		}
		if most >= queue/size/2 {
			longer--
		}
		return errBroken
	})
	p.pipeline.Settings.RetryMin, p.pipeline.Settings.RetryMax = 5*time.Millisecond, 5*time.Millisecond
	running := p.run(t)
	running.Await("all messages are delivered, the queue not stuck", func() bool { return p.delivered.Load() >= partitions*each })
	if err := running.Stop(); err != nil {
		t.Fatal(err)
	}
	if bound := (queue + partitions*fetch*size) / size; most > bound {
		t.Errorf("up to %d messages were read and not delivered, the bound is %d", most, bound)
	}
}

// Events that wait for the first map and do not fit into memory are read again when the map is
// ready.
func TestWaitingBeyondMemory(t *testing.T) {
	for _, exactlyOnce := range []bool{false, true} {
		b := newBroker(2)
		for p := range 2 {
			b.Append("in", p, heavy(0, 40, 1000)...)
			b.Append("in", p, stream.Message{Value: []byte("bad")})
			b.Append("in", p, heavy(40, 60, 1000)...)
		}
		learner := &streamtest.Learner{Min: 90}
		p := startAs(t, b, learner, exactlyOnce)
		p.pipeline.Settings.WaitingBytes = 30_000
		running := p.run(t)
		running.Await("all messages are committed", func() bool { return committed(b) >= 122 })
		if err := running.Stop(); err != nil {
			t.Fatal(err)
		}
		c := settleAs(t, b, learner, exactlyOnce)
		if c.Placed != 120 || c.Letters != 2 || exactlyOnce && (c.Duplicates > 0 || len(b.Messages("dlq")) != 2) {
			t.Errorf("%+v, %d dead letters (exactly once: %v)", c, len(b.Messages("dlq")), exactlyOnce)
		}
	}
}
