package stream

import (
	"context"
	"time"
)

// pass notes that reading has come to an offset, and found no message since the last one. It is
// not called once reading is over, for messages may have been left out then.
func (w *worker) pass(offset int64) {
	switch {
	case w.forgot:
	case len(w.waiting) > 0, w.p.LearnOnly && w.p.Learner.Current() == nil:
		w.behind = max(w.behind, offset)
	case w.atomic == nil:
		w.advance(offset)
	case offset > w.next:
		// The next batch's transaction will commit it, if there soon is one.
		w.passed = offset
		if w.settling == nil {
			w.settling = time.After(w.p.settings.CommitEvery)
		}
	}
}

// settle commits what was passed and is not committed with messages.
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
