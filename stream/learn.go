package stream

import (
	"context"
	"errors"
)

// ErrFenced says that another process has taken over what this one was the only one
// to do.
var ErrFenced = errors.New("another process has taken over")

// learn shows a batch to the learner and is done with it. Before the first map the
// learner has it in memory alone: its offset waits, so that it is read again after
// a crash.
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

// unlearnt reports whether offsets of what the learner has seen wait for the first
// map.
func (w *worker) unlearnt() bool { return w.p.LearnOnly && w.behind > w.next }
