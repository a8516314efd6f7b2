package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// wait offers messages that cannot be placed yet and stores them. Bad messages need no map. They
// become dead letters at once, so that a topic of bad messages alone does not fill the memory. With
// exactly-once delivery, bad messages behind an event wait with it, because their offsets cannot be
// committed.
func (w *worker) wait(reading, working context.Context, batch []*entry) error {
	for _, e := range batch {
		if e.good() {
			if err := w.offer(reading, e); err != nil {
				return err
			}
		}
	}
	if w.forgot {
		return nil
	}
	if w.atomic != nil && (len(w.waiting) > 0 || slices.ContainsFunc(batch, (*entry).good)) {
		w.keep(batch, func(*entry) bool { return true })
		return nil
	}
	if w.atomic != nil {
		return w.deliver(working, batch, nil)
	}
	if err := w.bury(working, batch); err != nil {
		return err
	}
	w.keep(batch, (*entry).good)
	if len(w.waiting) == 0 && !w.forgot {
		w.advance(w.behind)
	}
	return nil
}

// keep stores messages until the first map. If they do not fit, the partition drops all that it has
// stored. Their offsets stay uncommitted, so they are read again.
func (w *worker) keep(batch []*entry, which func(*entry) bool) {
	// A message shares memory with its neighbours, so skipped messages are counted with the next
	// stored one.
	next := int64(0)
	for _, e := range batch {
		next += e.message.Weight()
		if !which(e) {
			continue
		}
		e.holds, next = next, 0
		if !w.held.fits(e.holds) {
			w.letGo()
			w.forgot = true
			return
		}
		w.waiting = append(w.waiting, e)
	}
	w.behind = batch[len(batch)-1].next
}

// letGo drops the waiting messages and returns them.
func (w *worker) letGo() (waited []*entry) {
	waited, w.waiting = w.waiting, nil
	for _, e := range waited {
		w.held.free(e.holds)
	}
	return waited
}

// offer passes a message to the learner.
func (w *worker) offer(ctx context.Context, e *entry) error {
	err := w.p.Learner.Offer(ctx, e.events)
	var bad *MessageError
	if errors.As(err, &bad) {
		e.spoil(bad.Stage, bad)
		return nil
	}
	return err
}

// released reports whether waiting messages can be placed now.
func (w *worker) released() bool {
	return (len(w.waiting) > 0 || w.forgot) && w.p.Learner.Current() != nil
}

// release places the messages that have waited for the first map. If reading ends meanwhile, the
// rest is dropped, and no later message may be processed. If some were dropped before, the
// generation has to end; the next one reads them again.
func (w *worker) release(reading, working context.Context) error {
	if w.forgot {
		return fmt.Errorf("%v: reading again the rows that did not fit into memory: %w", w.tp, ErrRevoked)
	}
	defer w.finish()
	waiting, now := w.letGo(), time.Now()
	for len(waiting) > 0 && reading.Err() == nil {
		n := min(len(waiting), w.p.settings.BatchMessages)
		for _, e := range waiting[:n] {
			e.fetched = now
		}
		err := w.begin(reading, waiting[:n])
		if err == nil {
			err = w.process(reading, working, waiting[:n])
		}
		if err != nil {
			return err
		}
		waiting = waiting[n:]
	}
	if len(waiting) == 0 {
		w.pass(w.behind)
	}
	return nil
}
