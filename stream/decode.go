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
	// at is the message that is being decoded; the helper was given up with it if left,
	// and ended with it if something else is missing.
	at      int
	left    bool
	missing *UnavailableError
}

// decodeAll turns messages into events or finds them bad, and returns how many of the
// batch, at least one: those before one that something else is missing for need not wait
// for it; none if those that have waited for the first map can be placed now. A message
// that takes longer than Settings.DecodeTime is bad as well: its helper is left alone with
// it. The error says that a context is done.
func (w *worker) decodeAll(reading, working context.Context, batch []*entry) (n int, err error) {
	tries, fetched := 0, false
	for n < len(batch) {
		d := &decoding{decoder: w.p.Decoder, batch: batch, at: n}
		if n = w.watch(d); d.left {
			select {
			case w.p.left <- struct{}{}:
				d.gone(func() { <-w.p.left })
			case <-working.Done():
				return n, working.Err()
			}
		}
		if d.missing == nil {
			continue
		}
		if n > 0 || w.released() {
			break
		}
		tries++
		if fetched, err = w.retry.await(reading, "decode", d.missing, tries, fetched); err != nil {
			if reading.Err() != nil {
				return 0, reading.Err()
			}
			batch[0].spoil(StageDecode, err)
			n = 1
		}
	}
	for _, e := range batch[:n] {
		if e.good() {
			w.p.Hooks.decoded(w.tp, e.events)
		}
		if e.skipped != nil {
			w.p.Hooks.skipped(e.message, StageDecode, e.skipped)
		}
	}
	return n, nil
}

// watch has a batch decoded from where it stands and returns the first message that is
// left to do: the one before it was given up then, or something is missing for it. Two
// looks, the time allowed between them, have to find the helper at the same message. So a
// process that was stopped for a while does not take its own sleep for the message's fault.
func (w *worker) watch(d *decoding) int {
	d.done = make(chan struct{})
	go d.run()
	tick := time.NewTicker(w.p.settings.DecodeTime)
	defer tick.Stop()
	for seen := -1; ; {
		select {
		case <-d.done:
			return d.at
		case <-tick.C:
		}
		at, left := d.look(seen)
		if seen = at; left {
			d.batch[at].spoil(StageDecode, fmt.Errorf("%w (more than %v)", ErrDecodeTime, w.p.settings.DecodeTime))
			return at + 1
		}
	}
}

// look returns where the helper is, and gives it up if it was at the same message before. One that has done
// all is about to end.
func (d *decoding) look(before int) (at int, left bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left = d.at == before && d.at < len(d.batch)
	return d.at, d.left
}

// gone has something done when a helper that was given up has ended.
func (d *decoding) gone(do func()) {
	go func() {
		<-d.done
		do()
	}()
}

// run decodes until it has done all, something is missing or it was given up.
func (d *decoding) run() {
	defer close(d.done)
	for i := d.at; i < len(d.batch); i++ {
		events, skipped, bad, missing := decode(d.decoder, &d.batch[i].message)
		d.mu.Lock()
		if d.left || missing != nil {
			if !d.left {
				d.missing = missing
			}
			d.mu.Unlock()
			return
		}
		d.batch[i].events, d.batch[i].skipped, d.batch[i].bad = events, skipped, bad
		d.at = i + 1
		d.mu.Unlock()
	}
}

// decode turns a message into events, or says why it has none, why it is bad or what is
// missing.
func decode(decoder Decoder, m *Message) (Events, *SkippedError, *MessageError, *UnavailableError) {
	if m.Unreadable != nil {
		return nil, nil, asMessageError(StageRead, m.Unreadable), nil
	}
	events, err := decoder.Decode(*m)
	if missing := unavailable(err); missing != nil {
		return nil, nil, nil, missing
	}
	if s := skip(err); s != nil {
		return nil, s, nil, nil
	}
	if err != nil {
		return nil, nil, asMessageError(StageDecode, err), nil
	}
	return events, nil, nil, nil
}
