package stream

import (
	"context"
	"errors"
	"testing"
	"time"
)

// numbered returns a run of messages with these offsets, of one byte each.
func numbered(from, to int64) Run {
	l := Run{Next: to, End: to + 100, Bytes: to - from}
	for ; from < to; from++ {
		l.Messages = append(l.Messages, Message{Offset: from, Value: []byte{1}})
	}
	return l
}

// Waiting runs are merged up to a batch. All of them come out in order, followed by the error.
func TestIntake(t *testing.T) {
	q := newRunBuffer(&Settings{BatchMessages: 10, BatchBytes: 8})
	shared := numbered(0, 9).Messages
	first := Run{shared[:3], 3, 100, 3}
	if !q.merge(first) || !q.merge(numbered(3, 8)) {
		t.Fatal("a batch is refused")
	}
	if shared[3].Offset != 3 || &shared[3] == &q.next.Messages[3] {
		t.Error("the source's memory was written to")
	}
	if q.merge(numbered(8, 9)) {
		t.Fatal("more than BatchBytes is one batch")
	}
	if !q.merge(Run{Next: 8, End: 108}) {
		t.Fatal("a run without messages is refused")
	}
	l, _, err := q.unload()
	if err != nil || len(l.Messages) != 8 || l.Bytes != 8 || l.End != 108 {
		t.Fatalf("%+v, %v", l, err)
	}
	for i, m := range l.Messages {
		if m.Offset != int64(i) {
			t.Errorf("message %d is %d", i, m.Offset)
		}
	}
	if !q.merge(numbered(8, 100)) {
		t.Fatal("a run larger than a batch is refused while nothing waits")
	}
	if q.merge(numbered(100, 101)) {
		t.Fatal("more than BatchMessages is one batch")
	}
	over := errors.New("over")
	q.end(over)
	if l, _, err := q.unload(); err != nil || len(l.Messages) != 92 {
		t.Fatalf("%d messages, %v", len(l.Messages), err)
	}
	select {
	case <-q.ready:
	default:
		t.Error("the end is not reported")
	}
	if _, _, err := q.unload(); err != over {
		t.Error(err)
	}
}

// Runs are merged up to BatchMessages, and no further.
func TestIntakeFillsBatch(t *testing.T) {
	q := newRunBuffer(&Settings{BatchMessages: 10, BatchBytes: 100})
	if !q.merge(numbered(0, 4)) || !q.merge(numbered(4, 10)) {
		t.Error("a batch is refused")
	}
	if q.merge(numbered(10, 11)) {
		t.Error("a message more is one batch")
	}
}

// put blocks until there is room or its context is done.
func TestIntakeWaits(t *testing.T) {
	q := newRunBuffer(&Settings{BatchMessages: 2, BatchBytes: 100})
	put := make(chan error)
	go func() {
		for n := int64(0); n < 100; n++ {
			if err := q.put(t.Context(), numbered(2*n, 2*n+2)); err != nil {
				put <- err
				return
			}
		}
		put <- nil
	}()
	next := int64(0)
	for next < 200 {
		<-q.ready
		l, _, err := q.unload()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range l.Messages {
			if m.Offset != next {
				t.Fatalf("message %d after %d", m.Offset, next-1)
			}
			next++
		}
	}
	if err := <-put; err != nil {
		t.Fatal(err)
	}
	q.merge(numbered(0, 2))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if err := q.put(ctx, numbered(2, 4)); err != context.DeadlineExceeded {
		t.Error(err)
	}
}

// Single messages arrive while the worker is busy, are merged up to a batch, and are taken.
func BenchmarkIntake(b *testing.B) {
	const n = 4096
	q := newRunBuffer(&Settings{BatchMessages: n, BatchBytes: n})
	one := make([]Run, n)
	for i := range one {
		one[i] = numbered(int64(i), int64(i)+1)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, l := range one {
			if !q.merge(l) {
				b.Fatal("a batch is refused")
			}
		}
		if l, _, err := q.unload(); err != nil || len(l.Messages) != n {
			b.Fatal(len(l.Messages), err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/message")
}
