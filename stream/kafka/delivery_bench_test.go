package kafka_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/kafka/kafkatest"
	"unfold/stream/streamtest"
)

// busy places events as the double does, and computes for a given time per message.
type busy struct {
	streamtest.Map
	each time.Duration
}

func (m busy) Place(ctx context.Context, events []stream.Events) ([]stream.Outcome, error) {
	for end := time.Now().Add(time.Duration(len(events)) * m.each); time.Now().Before(end); {
	}
	return m.Map.Place(ctx, events)
}

type busyLearner struct {
	streamtest.Learner
	each time.Duration
}

func (l *busyLearner) Current() *stream.Published {
	p := *l.Learner.Current()
	p.Map = busy{p.Map.(streamtest.Map), l.each}
	return &p
}

// BenchmarkDelivery runs a stage on a real broker over a topic of messages of 300 bytes, at least
// and exactly once. Placing takes no time, or 20 microseconds a message.
func BenchmarkDelivery(b *testing.B) {
	real := kafkatest.StartReal(b, "")
	client := kafkatest.NewClient(b, []string{real.Addr()})
	const partitions, each = 4, 25_000
	in := "in"
	client.Create(b, in, partitions, 1, nil)
	for p := range partitions {
		for from := 0; from < each; from += 5000 {
			var batch []stream.Message
			for n := from; n < from+5000; n++ {
				batch = append(batch, stream.Message{Key: fmt.Append(nil, n%100), Value: fmt.Append(nil, n), Headers: []stream.Header{{Key: "pad", Value: bytes.Repeat([]byte{'x'}, 280)}}})
			}
			client.Produce(b, in, p, batch...)
		}
	}
	run := 0
	for _, cost := range []time.Duration{0, 20 * time.Microsecond} {
		for _, exactlyOnce := range []bool{false, true} {
			b.Run(fmt.Sprintf("place=%v/exactlyOnce=%v", cost, exactlyOnce), func(b *testing.B) {
				for b.Loop() {
					run++
					out := fmt.Sprint("out", run)
					client.Create(b, out, partitions, 1, nil)
					deliverAll(b, real.Addr(), in, out, partitions*each, exactlyOnce, cost)
				}
				b.ReportMetric(float64(partitions*each*b.N)/b.Elapsed().Seconds(), "messages/s")
			})
		}
	}
}

func deliverAll(b *testing.B, addr, in, out string, messages int, exactlyOnce bool, cost time.Duration) {
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	set := kafka.SourceSettings{Cluster: kafka.Cluster{Brokers: []string{addr}}, Topic: in, Group: out}
	if exactlyOnce {
		set.Transactions = &kafka.Transactions{Outputs: out}
	}
	source, err1 := kafka.NewSource(ctx, set)
	sink, err2 := kafka.NewSink(ctx, kafka.SinkSettings{Cluster: set.Cluster, Topic: out})
	if err := errors.Join(err1, err2); err != nil {
		b.Fatal(err)
	}
	var delivered atomic.Int64
	p := &stream.Pipeline{Source: source, Sink: sink, Decoder: streamtest.Numbers{}, Learner: &busyLearner{each: cost}, ExactlyOnce: exactlyOnce,
		Hooks: stream.Hooks{Delivered: func(_ stream.TopicPartition, n, _ int, _ time.Duration) {
			if delivered.Add(int64(n)) == int64(messages) {
				cancel()
			}
		}}}
	if err := errors.Join(p.Run(ctx), source.Close(), sink.Close()); err != nil {
		b.Fatal(err)
	}
	if n := delivered.Load(); n < int64(messages) {
		b.Fatalf("%d of %d messages", n, messages)
	}
}
