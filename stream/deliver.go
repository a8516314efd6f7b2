package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"unfold/internal/vec"
)

// deliver writes the outputs and dead letters of a batch, and marks the batch as done when all of
// them are acknowledged. Exactly-once delivery writes them in one transaction. Outputs that a topic
// rejects are written in another form or become dead letters.
func (w *worker) deliver(ctx context.Context, batch []*entry, outputs []piece) error {
	// A bad message without a dead-letter topic ends the stage before anything is written.
	if err := w.mayBury(batch); err != nil {
		return err
	}
	w.finish()
	made := int64(0)
	for i := range outputs {
		made += outputs[i].message.Weight()
	}
	w.room.Count(made)
	defer w.room.Give(made)
	next := batch[len(batch)-1].next
	if w.atomic != nil {
		if err := w.transact(ctx, batch, outputs, Position{TopicPartition: w.tp, Offset: next}); err != nil {
			return err
		}
		w.delivered(batch)
		w.buried(batch)
		w.p.Hooks.committed(Position{TopicPartition: w.tp, Offset: next})
		w.advance(next)
		return nil
	}
	if err := w.write(ctx, outputs); err != nil {
		return err
	}
	w.delivered(batch)
	if err := w.bury(ctx, batch); err != nil {
		return err
	}
	w.advance(next)
	return nil
}

// delivered reports the delivered outputs of a batch.
func (w *worker) delivered(batch []*entry) {
	messages, events := 0, 0
	for _, e := range batch {
		if e.good() {
			messages, events = messages+1, events+e.events.Len()
		}
		if e.good() && len(e.pieces) > 0 {
			w.p.Hooks.split(e.message, len(e.pieces))
		}
	}
	if messages > 0 {
		w.p.Hooks.delivered(w.tp, messages, events, time.Since(batch[0].fetched))
	}
	w.done(batch, false)
}

// write writes the outputs of a batch.
func (w *worker) write(ctx context.Context, outputs []piece) error {
	for len(outputs) > 0 {
		left, err := w.retry.write(ctx, "write", w.p.Sink, messagesOf(outputs))
		var refused *RefusedError
		if !errors.As(err, &refused) {
			return err
		}
		keep := make([]bool, len(outputs))
		for _, i := range left {
			keep[i] = true
		}
		outputs = w.fit(outputs, keep, refused)
	}
	return nil
}

// bury writes the dead letters of a batch.
func (w *worker) bury(ctx context.Context, batch []*entry) error {
	dead := badOf(batch)
	for len(dead) > 0 {
		letters, err := w.letters(dead)
		if err != nil {
			return err
		}
		left, err := w.retry.write(ctx, "dead letter", w.p.DeadLetter.Sink, letters)
		var refused *RefusedError
		if errors.As(err, &refused) {
			for _, m := range refused.Messages {
				if err := dead[m.Index].spare(refused.of(m)); err != nil {
					return err
				}
			}
			dead = vec.Pick(dead, left)
			continue
		}
		if err != nil {
			return err
		}
		break
	}
	w.buried(batch)
	return nil
}

// transact delivers a batch in one transaction.
func (w *worker) transact(ctx context.Context, batch []*entry, outputs []piece, at Position) error {
	for {
		dead := badOf(batch)
		letters, err := w.letters(dead)
		if err != nil {
			return err
		}
		err = w.retry.transact(ctx, w.atomic, Transaction{at, messagesOf(outputs), letters})
		var refused *RefusedError
		if !errors.As(err, &refused) {
			return err
		}
		n := len(outputs)
		of := &RefusedError{Err: refused.Err}
		for _, m := range refused.Messages {
			if m.Index < n {
				of.Messages = append(of.Messages, m)
			} else if err := dead[m.Index-n].spare(refused.of(m)); err != nil {
				return err
			}
		}
		outputs = w.fit(outputs, nil, of)
	}
}

func badOf(batch []*entry) (bad []*entry) {
	for _, e := range batch {
		if e.bad != nil {
			bad = append(bad, e)
		}
	}
	return bad
}

// mayBury returns an error if there are bad messages and no dead-letter topic.
func (w *worker) mayBury(batch []*entry) error {
	if bad := badOf(batch); len(bad) > 0 && w.p.DeadLetter == nil {
		return fmt.Errorf("%s: %w (no dead-letter topic is set that could keep this message)", bad[0].message.Where(), bad[0].bad)
	}
	return nil
}

// letters composes the dead letters of bad messages.
func (w *worker) letters(bad []*entry) ([]Message, error) {
	if err := w.mayBury(bad); err != nil {
		return nil, err
	}
	var letters []Message
	for _, e := range bad {
		letters = append(letters, w.p.DeadLetter.message(e.message, e.bad.Stage, e.bad.Err, e.spared))
	}
	return letters, nil
}

// buried reports the delivered dead letters of a batch.
func (w *worker) buried(batch []*entry) {
	w.done(batch, true)
	for _, e := range badOf(batch) {
		w.p.Hooks.deadLettered(e.message, e.bad.Stage, e.bad.Err)
	}
}
