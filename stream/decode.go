package stream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrDecodeTime is returned if decoding a message takes longer than Settings.DecodeTime.
var ErrDecodeTime = errors.New("decoding the message took too long")

// mostLeft is the maximum number of abandoned goroutines that still decode. At the limit, decoding
// blocks.
const mostLeft = 8

// decoding is the state of a goroutine that decodes the messages of a batch in order, while the
// worker measures the time.
type decoding struct {
	decoder Decoder
	batch   []*entry
	done    chan struct{} // closed when the goroutine has ended

	mu sync.Mutex
	// at is the index of the message that is being decoded. left is true if the goroutine was
	// abandoned at that message. missing is set if the goroutine stopped there because a resource
	// is unavailable.
	at      int
	left    bool
	missing *UnavailableError
}

// decodeAll decodes messages into events or marks them as bad. A message that takes longer than
// Settings.DecodeTime is bad, and its goroutine is abandoned. It returns the number of messages to
// process now, usually the whole batch. If a resource is unavailable for a message, the messages
// before it are returned first, because they need not wait. It returns 0 if the messages that wait
// for the first map can be placed now. The error is that of a context that is done.
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

// watch decodes a batch from d.at on and returns the first message that is left to do. The message
// before that one was abandoned, or a resource is unavailable for it. A message has timed out only
// if two consecutive ticks find the goroutine at it. So a process that was suspended does not blame
// the message for the pause.
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

// look returns the index of the current message, and abandons the goroutine if the index was the
// same before. A goroutine that has decoded all messages is about to end.
func (d *decoding) look(before int) (at int, left bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left = d.at == before && d.at < len(d.batch)
	return d.at, d.left
}

// gone calls do when an abandoned goroutine has ended.
func (d *decoding) gone(do func()) {
	go func() {
		<-d.done
		do()
	}()
}

// run decodes until all messages are decoded, a resource is unavailable, or the goroutine is
// abandoned.
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

// decode decodes a message into events. Otherwise one of the errors is set: the message is skipped,
// it is bad, or a resource is unavailable.
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
