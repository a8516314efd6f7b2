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

// Load writes events into a topic at a steady rate. Every 17th message cannot be
// read. Keys are few, so that each has many messages; some have none.
type Load struct {
	Client     *kafkatest.Client
	Topic      string
	Partitions int
	// Every is the pause between two messages of a partition, Rows how many events
	// each holds, Seed what they are drawn from.
	Every time.Duration
	Rows  int
	Seed  uint64
	// Format is that of the messages, Arrow if empty; mixed takes one after the other. In Avro
	// and Protobuf one holds one event, by schema schemaID of a registry.
	Format format.Name
	// Large mixes in messages that are too large for topics that take tight bytes: every
	// 19th cannot be read, every 23rd is valid.
	Large bool

	jump    atomic.Int64
	written atomic.Int64
}

const (
	// tight is how many bytes a batch may have in topics that take little; largeRows are
	// so many rows that an output has more, compressed.
	tight     = 8000
	largeRows = 600
)

// mixed stands for messages of several formats in one topic, in turn.
const mixed format.Name = "mixed"

// mixture are the formats of a mixed load.
var mixture = []format.Name{format.JSON, format.Avro, format.Arrow}

// Column is the events' column of ids.
const Column = formattest.ID

// schemaID is the id of the events' schema, in formats that have schemas.
const schemaID = 1

// Jump makes the times of the messages to come differ by d from what the clock says.
func (l *Load) Jump(d time.Duration) { l.jump.Store(int64(d)) }

// Written is how many messages have been acknowledged so far.
func (l *Load) Written() int64 { return l.written.Load() }

// Run writes until the context is done. A broker that is away is waited for.
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
			// What is under way when the context ends is finished: whether it is in
			// the topic is for the judge to see, not for the load.
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

// message makes message n of a partition.
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
