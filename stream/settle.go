package stream

import (
	"context"
	"time"
)

// pass records that reading has reached an offset without a message since the last one. It is not
// called after reading has ended, because messages may have been omitted then.
func (w *worker) pass(offset int64) {
	switch {
	case w.forgot:
	case len(w.waiting) > 0, w.p.LearnOnly && w.p.Learner.Current() == nil:
		w.behind = max(w.behind, offset)
	case w.atomic == nil:
		w.advance(offset)
	case offset > w.next:
		// The transaction of the next batch commits the offset, if a batch follows soon.
		w.passed = offset
		if w.settling == nil {
			w.settling = time.After(w.p.settings.CommitEvery)
		}
	}
}

// settle commits a passed offset that was not committed with messages.
func (w *worker) settle(working context.Context) error {
	if w.settling == nil {
		return nil
	}
	w.settling = nil
	if w.passed <= w.next {
		return nil
	}
	at := Position{TopicPartition: w.tp, Offset: w.passed}
	if err := w.retry.transact(working, w.atomic, Transaction{Position: at}); err != nil {
		return err
	}
	w.p.Hooks.committed(at)
	w.advance(w.passed)
	return nil
}
