package main

import (
	"context"
	"time"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/stream"
	"unfold/stream/learn"
)

// apprentice is a learner that is fed directly, with its goroutine.
type apprentice struct {
	*learn.Learner
	offset    int64
	published chan stream.Stats
	failed    chan error
	stop      func() error
}

// hire starts a learner in a state folder.
func hire(ctx context.Context, s learn.Settings) (*apprentice, error) {
	a := &apprentice{published: make(chan stream.Stats, 1024), failed: make(chan error, 1)}
	s.Hooks.Published = func(p *stream.Published, _ time.Duration) { a.published <- p.Stats }
	s.Hooks.RefreshFailed = func(err error) {
		select {
		case a.failed <- err:
		default:
		}
	}
	l, err := learn.New(s)
	if err != nil {
		return nil, err
	}
	a.Learner = l
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }() // it ends with stop
	a.stop = func() error { cancel(); return <-done }
	return a, nil
}

// message is one of a topic, with some vectors.
func message(offset int64, x vec.Matrix[float32]) (m stream.Message, err error) {
	t, err := table.NewTable(table.Origin{}, table.VectorColumn("vector", x))
	if err != nil {
		return m, err
	}
	m.Topic, m.Offset = "events", offset
	m.Value, err = emit.EncodeTable(t)
	return m, err
}

// feed offers vectors as one message.
func (a *apprentice) feed(ctx context.Context, x vec.Matrix[float32]) error {
	m, err := message(a.offset, x)
	if err != nil {
		return err
	}
	a.offset++
	e, err := a.Decode(m)
	if err != nil {
		return err
	}
	return a.Offer(ctx, e)
}

// begin feeds vectors in messages of a thousand and waits for the first map.
func (a *apprentice) begin(ctx context.Context, x vec.Matrix[float32]) error {
	for from := 0; from < x.Rows; from += 1000 {
		if err := a.feed(ctx, x.Slice(from, min(from+1000, x.Rows))); err != nil {
			return err
		}
	}
	select {
	case <-a.Ready():
		<-a.published
		return nil
	case err := <-a.failed:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// place places one message, from input bytes to output bytes.
func place(ctx context.Context, l *learn.Learner, m stream.Message) ([]byte, error) {
	e, err := l.Decode(m)
	if err != nil {
		return nil, err
	}
	out, err := l.Current().Map.Place(ctx, []stream.Events{e})
	if err != nil {
		return nil, err
	}
	return out[0].Value, out[0].Err
}

// singles returns messages of one event each.
func singles(x vec.Matrix[float32]) ([]stream.Message, error) {
	out := make([]stream.Message, x.Rows)
	for i := range out {
		var err error
		if out[i], err = message(int64(i), x.Slice(i, i+1)); err != nil {
			return nil, err
		}
	}
	return out, nil
}
