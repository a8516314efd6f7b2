package stream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrDecodeTime says that a message took longer to decode than Settings.DecodeTime.
var ErrDecodeTime = errors.New("decoding the message took too long")

// mostLeft is how many helpers may be busy with messages that were given up; then
// decoding waits.
const mostLeft = 8

// decoding is what a worker's helper is at: it decodes the messages of a batch, one
// after the other, while the worker watches the clock.
type decoding struct {
	decoder Decoder
	batch   []*entry
	done    chan struct{} // closed when the helper has ended

	mu sync.Mutex
	// at is the message that is being decoded; the helper was given up with it if left.
	at   int
	left bool
}

// decodeAll turns messages into events or finds them bad. A message that takes longer
// than Settings.DecodeTime is bad as well: its helper is left alone with it. The error
// says that the context is done.
func (w *worker) decodeAll(ctx context.Context, batch []*entry) error {
	for from := 0; from < len(batch); {
		d := &decoding{decoder: w.p.Decoder, batch: batch, at: from}
		if from = w.watch(d); from == len(batch) && !d.left {
			break
		}
		select {
		case w.p.left <- struct{}{}:
			d.gone(func() { <-w.p.left })
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for _, e := range batch {
		if e.bad == nil {
			w.p.Hooks.eventsIn(w.tp, e.events.Len())
		}
	}
	return nil
}

// watch has a batch decoded from where it stands and returns the first message that is
// left to do; the one before it was given up then. Two looks, the time allowed between
// them, have to find the helper at the same message. So a process that was stopped for a
// while does not take its own sleep for the message's fault.
func (w *worker) watch(d *decoding) int {
	d.done = make(chan struct{})
	go d.run()
	tick := time.NewTicker(w.p.settings.DecodeTime)
	defer tick.Stop()
	for seen := -1; ; {
		select {
		case <-d.done:
			return len(d.batch)
		case <-tick.C:
		}
		d.mu.Lock()
		at := d.at
		d.left = at == seen && at < len(d.batch)
		d.mu.Unlock()
		if seen = at; d.left {
			d.batch[at].spoil(StageDecode, fmt.Errorf("%w (more than %v)", ErrDecodeTime, w.p.settings.DecodeTime))
			return at + 1
		}
	}
}

// gone has something done when a helper that was given up has ended.
func (d *decoding) gone(do func()) {
	go func() {
		<-d.done
		do()
	}()
}

// run decodes until it has done all or was given up.
func (d *decoding) run() {
	defer close(d.done)
	for i := d.at; i < len(d.batch); i++ {
		events, bad := decode(d.decoder, &d.batch[i].message)
		d.mu.Lock()
		if d.left {
			d.mu.Unlock()
			return
		}
		d.batch[i].events, d.batch[i].bad = events, bad
		d.at = i + 1
		d.mu.Unlock()
	}
}

// decode turns a message into events or says why it is bad.
func decode(decoder Decoder, m *Message) (Events, *MessageError) {
	if m.Unreadable != nil {
		return nil, asMessageError(StageRead, m.Unreadable)
	}
	events, err := decoder.Decode(*m)
	if err != nil {
		return nil, asMessageError(StageDecode, err)
	}
	return events, nil
}
