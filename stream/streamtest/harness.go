package streamtest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"unfold/stream"
)

// Harness is a broker for the conformance suite.
type Harness interface {
	// CreateTopic creates a topic that is ready for use.
	CreateTopic(t *testing.T, topic string, partitions int)
	// Produce appends messages to a partition and returns when they are written.
	Produce(t *testing.T, topic string, partition int, messages ...stream.Message)
	// Read returns all committed messages of a topic, each partition in order.
	Read(t *testing.T, topic string) []stream.Message
	// Committed returns the committed offsets of the group by partition.
	Committed(t *testing.T, group, topic string) map[int]int64
	// Limit makes a topic reject larger batches.
	Limit(t *testing.T, topic string, bytes int)
	// DeleteBefore deletes a partition's messages before offset.
	DeleteBefore(t *testing.T, topic string, partition int, offset int64)
	// NewSource and NewSink connect to the broker. NewSource reads from the beginning if the group
	// has no position. The suite closes both.
	NewSource(ctx context.Context, topic, group string) (stream.Source, error)
	NewSink(ctx context.Context, topic string) (stream.Sink, error)
	// NewTransactional returns a source like NewSource, whose generations are stream.Transactional
	// and write to the given topics.
	NewTransactional(ctx context.Context, topic, group, outputs, letters string) (stream.Source, error)
}

// MemoryHarness runs the suite on a Broker.
type MemoryHarness struct{ *Broker }

// CreateTopic implements Harness.
func (h MemoryHarness) CreateTopic(_ *testing.T, topic string, partitions int) {
	h.Broker.CreateTopic(topic, partitions)
}

// Produce implements Harness.
func (h MemoryHarness) Produce(_ *testing.T, topic string, p int, messages ...stream.Message) {
	h.Append(topic, p, messages...)
}

// Read implements Harness.
func (h MemoryHarness) Read(_ *testing.T, topic string) []stream.Message { return h.Messages(topic) }

// Committed implements Harness.
func (h MemoryHarness) Committed(_ *testing.T, group, topic string) map[int]int64 {
	return h.Broker.Committed(group, topic)
}

// DeleteBefore implements Harness.
func (h MemoryHarness) DeleteBefore(_ *testing.T, topic string, p int, offset int64) {
	h.Broker.DeleteBefore(topic, p, offset)
}

// Limit implements Harness.
func (h MemoryHarness) Limit(_ *testing.T, topic string, bytes int) { h.Broker.Limit(topic, bytes) }

// NewSource implements Harness.
func (h MemoryHarness) NewSource(_ context.Context, topic, group string) (stream.Source, error) {
	return h.Broker.Source(topic, group)
}

// NewSink implements Harness.
func (h MemoryHarness) NewSink(_ context.Context, topic string) (stream.Sink, error) {
	return h.Broker.Sink(topic)
}

// NewTransactional implements Harness.
func (h MemoryHarness) NewTransactional(_ context.Context, topic, group, outputs, letters string) (stream.Source, error) {
	s, err := h.Broker.Source(topic, group)
	if err == nil {
		s.Outputs, s.Letters = outputs, letters
	}
	return s, err
}

// limit is the time limit of every wait of the suite. slack is the tolerance of measured times on a
// busy machine.
const (
	limit = 4 * time.Minute
	slack = 15 * time.Second
)

// bench is the state of one test on a harness.
type bench struct {
	*testing.T
	h    Harness
	kind Kind
	ctx  context.Context
	// topic and group are used by this test only.
	topic, group string
}

var serial atomic.Int64

func newBench(t *testing.T, h Harness, k Kind, partitions int) *bench {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	name := fmt.Sprintf("t%d-%d", time.Now().UnixNano()%1e9, serial.Add(1))
	b := &bench{T: t, h: h, kind: k, ctx: ctx, topic: name, group: "group-" + name}
	if partitions > 0 {
		h.CreateTopic(t, b.topic, partitions)
	}
	return b
}

func (b *bench) source() stream.Source {
	b.Helper()
	s, err := b.h.NewSource(b.ctx, b.topic, b.group)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

func (b *bench) sink(topic string) stream.Sink {
	b.Helper()
	s, err := b.h.NewSink(b.ctx, topic)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

func (b *bench) next(s stream.Source) stream.Generation {
	b.Helper()
	g, err := s.Next(b.ctx)
	if err != nil {
		b.Fatal(err)
	}
	return g
}

func (b *bench) tp(partition int) stream.TopicPartition {
	return stream.TopicPartition{Topic: b.topic, Partition: partition}
}

// fetch reads n messages of a partition.
func (b *bench) fetch(g stream.Generation, partition, n int) []stream.Message {
	b.Helper()
	var out []stream.Message
	for len(out) < n {
		run, err := g.Fetch(b.ctx, b.tp(partition), nil)
		if err != nil {
			b.Fatalf("after %d of %d messages: %v", len(out), n, err)
		}
		if len(run.Messages) == 0 {
			b.Fatal("Fetch returned neither messages nor an error")
		}
		out = append(out, run.Messages...)
	}
	if len(out) > n {
		b.Fatalf("read %d messages, want %d", len(out), n)
	}
	return out
}

// write writes all messages. Like the pipeline it retries failures, because a new topic may not
// have its leaders yet.
func (b *bench) write(sink stream.Sink, messages []stream.Message) {
	b.Helper()
	for {
		err := sink.Write(b.ctx, messages)
		if err == nil {
			return
		}
		if b.ctx.Err() != nil {
			b.Fatal(err)
		}
		var we *stream.WriteError
		if errors.As(err, &we) {
			var rest []stream.Message
			for _, i := range we.Remaining {
				rest = append(rest, messages[i])
			}
			messages = rest
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// eventually waits until a condition holds.
func (b *bench) eventually(what string, so func() bool) {
	b.Helper()
	for ; !so(); time.Sleep(20 * time.Millisecond) {
		if b.ctx.Err() != nil {
			b.Fatalf("%s: not within %v", what, limit)
		}
	}
}

// numbers returns messages with the numbers from..to (to excluded).
func numbers(from, to int, key []byte) []stream.Message {
	var out []stream.Message
	for n := from; n < to; n++ {
		out = append(out, stream.Message{Key: key, Value: fmt.Append(nil, n)})
	}
	return out
}
