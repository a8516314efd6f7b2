package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"unfold/ingest"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/jsonrec"
	"unfold/ingest/record"
	"unfold/ingest/table"
	"unfold/internal/offsets"
	"unfold/stream"
	"unfold/stream/kafka"
)

// collector consumes the topic of places, as any downstream consumer would.
type collector struct {
	mu       sync.Mutex
	parts    []part
	messages int
	dead     int // messages that became dead letters instead
	events   int64
	changed  chan struct{} // closed and replaced at every change
	pick     ingest.Selection
}

// part is one message of places.
type part struct {
	*emit.Output
	source stream.Position // of the message that was placed
}

// newCollector makes a collector of places with the label and the columns that the stage passes
// through.
func newCollector(passing ingest.Selection) *collector {
	return &collector{changed: make(chan struct{}), pick: ingest.Selection{ID: emit.IDName, Label: passing.Label, Keep: passing.Keep}}
}

// run reads until the context is done.
func (c *collector) run(ctx context.Context, brokers []string) (err error) {
	source, err := kafka.NewSource(ctx, kafka.SourceSettings{Cluster: kafka.Cluster{Brokers: brokers}, Topic: Places, Group: "demo-reader"})
	if err != nil {
		return fmt.Errorf("consumer: %w", err)
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	for {
		gen, err := source.Next(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("consumer: %w", err)
		}
		err = c.generation(ctx, gen)
		if closed := gen.Close(); err == nil {
			err = closed
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && !errors.Is(err, stream.ErrRevoked) {
			return fmt.Errorf("consumer: %w", err)
		}
	}
}

// generation reads all partitions until one of them fails.
func (c *collector) generation(ctx context.Context, gen stream.Generation) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var readers sync.WaitGroup
	for _, at := range gen.Assigned() {
		readers.Go(func() {
			for {
				run, err := gen.Fetch(ctx, at.TopicPartition, nil)
				if err == nil {
					err = c.collect(run.Messages)
				}
				if err != nil {
					stop(err)
					return
				}
			}
		})
	}
	readers.Wait()
	return context.Cause(ctx)
}

func (c *collector) collect(messages []stream.Message) error {
	for i := range messages {
		p, err := readPlaces(&messages[i], c.pick)
		if err != nil {
			return err
		}
		c.change(func() {
			c.parts = append(c.parts, p)
			c.messages++
			c.events += int64(p.Len())
		})
	}
	return nil
}

// deadLetter counts a message that was not placed.
func (c *collector) deadLetter() { c.change(func() { c.dead++ }) }

func (c *collector) change(what func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	what()
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *collector) deadLetters() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dead
}

// placed returns the number of events received.
func (c *collector) placed() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.events
}

// await waits until the given number of messages have been placed or become dead letters; progress
// is called with the number of events so far.
func (c *collector) await(ctx context.Context, messages int, progress func(events int64)) error {
	for {
		c.mu.Lock()
		n, events, changed := c.messages+c.dead, c.events, c.changed
		c.mu.Unlock()
		progress(events)
		if n >= messages {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// places returns all messages in the order of their source.
func (c *collector) places() []part {
	c.mu.Lock()
	defer c.mu.Unlock()
	parts := slices.Clone(c.parts)
	slices.SortFunc(parts, func(a, b part) int {
		if a.source.Offset != b.source.Offset {
			return int(a.source.Offset - b.source.Offset)
		}
		return a.source.Partition - b.source.Partition
	})
	return parts
}

// answered counts the distinct messages that have been placed.
func answered(parts []part) int {
	seen := map[stream.Position]bool{}
	for _, p := range parts {
		seen[p.source] = true
	}
	return len(seen)
}

// readPlaces decodes a message of places into rows of a map.
func readPlaces(m *stream.Message, pick ingest.Selection) (part, error) {
	position, version, ok := stream.Origin(m)
	if !ok {
		return part{}, fmt.Errorf("%s: the headers do not say where it comes from", m.Where())
	}
	t, mapping, err := decodePlaces(m)
	if err != nil {
		return part{}, err
	}
	mapping.Selection, mapping.AsIs = pick, true
	f, err := ingest.NewFitter(mapping, t.Schema())
	if err != nil {
		return part{}, err
	}
	e, err := f.Encoder()
	if err != nil {
		return part{}, err
	}
	b, err := e.Encode(t)
	if err != nil {
		return part{}, err
	}
	out := &emit.Output{ID: b.ID, Kept: b.Kept, Embedding: b.X, Version: version}
	for name, to := range map[string]*[]float32{
		emit.SigmaName: &out.Sigma, emit.NoveltyLocalName: &out.NoveltyLocal, emit.NoveltyGlobalName: &out.NoveltyGlobal,
	} {
		if *to, err = floats(t, name); err != nil {
			return part{}, err
		}
	}
	epoch, err := floats(t, emit.EpochName)
	if err != nil || len(epoch) == 0 {
		return part{}, fmt.Errorf("%s: no epoch: %w", m.Where(), err)
	}
	out.Epoch = uint32(epoch[0])
	return part{out, position}, nil
}

// decodePlaces decodes a message, and returns the mapping of its columns of places.
func decodePlaces(m *stream.Message) (*table.Table, ingest.Mapping, error) {
	o := table.Origin{Position: offsets.At(m.Topic, m.Partition, m.Offset)}
	if jsonrec.Looks(m.Value) {
		d, err := jsonrec.New(record.Spec{}).Decode(m.Value, o)
		return d.Table, ingest.Mapping{Columns: []ingest.ColumnSpec{{Name: "x"}, {Name: "y"}}}, err
	}
	t, err := arrowfmt.DecodeMessage(m.Value, o, arrowfmt.Limits{})
	return t, ingest.Mapping{Vector: emit.EmbeddingName}, err
}

func floats(t *table.Table, name string) ([]float32, error) {
	c, ok := t.Column(name)
	if !ok {
		return nil, fmt.Errorf("%v: there is no column %q", t.Origin, name)
	}
	values, missing := c.Floats()
	if missing >= 0 {
		return nil, fmt.Errorf("%v: row %d of column %q has no value", t.Origin, missing+1, name)
	}
	out := make([]float32, len(values))
	for i, v := range values {
		out[i] = float32(v)
	}
	return out, nil
}
