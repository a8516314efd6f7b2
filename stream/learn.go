package stream

import (
	"context"
	"errors"
)

// ErrFenced is returned if another process has taken over a task that only one process may do.
var ErrFenced = errors.New("another process has taken over")

// learn offers a batch to the learner, which completes the batch. Before the first map the events
// exist only in the learner's memory. Their offsets are therefore not committed, so that they are
// read again after a crash.
func (w *worker) learn(ctx context.Context, batch []*entry) error {
	for _, e := range batch {
		if e.good() {
			if err := w.offer(ctx, e); err != nil {
				return err
			}
		}
		if e.bad != nil {
			w.p.Hooks.skipped(e.message, e.bad.Stage, e.bad.Err)
		}
	}
	w.behind = batch[len(batch)-1].next
	if w.p.Learner.Current() != nil {
		w.advance(w.behind)
	}
	return nil
}

// unlearnt reports whether offsets of learnt events are waiting for the first map.
func (w *worker) unlearnt() bool { return w.p.LearnOnly && w.behind > w.next }
