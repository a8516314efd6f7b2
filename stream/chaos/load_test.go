package chaos

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"unfold/stream"
	"unfold/stream/format"
	"unfold/stream/format/formattest"
	"unfold/stream/kafka/kafkatest"
)

// Load writes events to a topic at a steady rate. Every 17th message is unreadable. There are few
// keys, so that each has many messages; some messages have no key.
type Load struct {
	Client     *kafkatest.Client
	Topic      string
	Partitions int
	// Every is the pause between two messages of a partition, Rows the number of events per
	// message, and Seed the seed of the events.
	Every time.Duration
	Rows  int
	Seed  uint64
	// Format is the format of the messages, Arrow if empty; mixed alternates between formats. An
	// Avro or Protobuf message contains one event with the schema schemaID of a registry.
	Format format.Name
	// Large adds messages that are too large for topics with a limit of tight bytes. Every 19th
	// message is large and unreadable, every 23rd large and valid.
	Large bool

	jump    atomic.Int64
	written atomic.Int64
}

const (
	// tight is the batch limit in bytes of topics with a low limit. The output of largeRows rows
	// exceeds it, even compressed.
	tight     = 8000
	largeRows = 600
)

// mixed alternates between several formats in one topic.
const mixed format.Name = "mixed"

// mixture are the formats of a mixed load.
var mixture = []format.Name{format.JSON, format.Avro, format.Arrow}

// Column is the id column of the events.
const Column = formattest.ID

// schemaID is the id of the events' schema, in formats with schemas.
const schemaID = 1

// Jump shifts the times of all later messages by d relative to the clock.
func (l *Load) Jump(d time.Duration) { l.jump.Store(int64(d)) }

// Written returns the number of acknowledged messages.
func (l *Load) Written() int64 { return l.written.Load() }

// Run writes until the context is done. It waits for an unavailable broker.
func (l *Load) Run(ctx context.Context) error {
	rng := rand.New(rand.NewPCG(l.Seed, 0x6c6f6164))
	tick := time.NewTicker(max(l.Every, 10*time.Millisecond))
	defer tick.Stop()
	begin := time.Now()
	for n := 0; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		var batch []stream.Message
		for due := int(time.Since(begin) / l.Every); n < due && len(batch) < 200; n++ {
			m, err := l.message(rng, n)
			if err != nil {
				return err
			}
			batch = append(batch, m)
		}
		for p := range l.Partitions {
			// A write that is in progress when the context ends is finished. The judge, not the
			// load, checks whether the message is in the topic.
			if err := l.Client.Append(ctx, l.Topic, p, batch...); err != nil {
				if errors.Is(err, context.Canceled) {
					return nil
				}
				return fmt.Errorf("chaos: writing the load: %w", err)
			}
			l.written.Add(int64(len(batch)))
		}
	}
}

// message creates message n of a partition.
func (l *Load) message(rng *rand.Rand, n int) (stream.Message, error) {
	m := stream.Message{Time: time.Now().Add(time.Duration(l.jump.Load())).Truncate(time.Millisecond)}
	if n%5 > 0 {
		m.Key = fmt.Appendf(nil, "key %d", n%5)
	}
	if l.Large && n%19 == 18 {
		m.Value = make([]byte, 3*tight)
		for i := range m.Value {
			m.Value[i] = byte(rng.Uint32())
		}
		return m, nil
	}
	if n%17 == 16 {
		m.Value = fmt.Appendf(nil, "message %d cannot be read", n)
		return m, nil
	}
	form, rows := cmp.Or(l.Format, format.Arrow), l.Rows
	if form == mixed {
		form = mixture[n%len(mixture)]
	}
	if form == format.Avro || form == format.Protobuf {
		rows = 1
	}
	if l.Large && n%23 == 22 {
		rows = largeRows
	}
	events := make([]formattest.Event, rows)
	for i := range events {
		v := make([]float32, 8)
		events[i] = formattest.Event{ID: fmt.Sprintf("%d-%d-%x", n, i, rng.Uint64()), Vector: v}
		class := rng.IntN(3)
		for j := range v {
			v[j] = float32(rng.NormFloat64())
			if j%3 == class {
				v[j] += 5
			}
		}
	}
	var err error
	m.Value, err = formattest.Message(form, schemaID, events...)
	return m, err
}
