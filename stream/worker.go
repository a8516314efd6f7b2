package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// worker carries the messages of one partition through the stage, in order.
type worker struct {
	p   *Pipeline
	gen Generation
	// atomic is gen for exactly-once delivery, else nil.
	atomic  Transactional
	commits *committer
	retry   retrier
	tp      TopicPartition
	// next is the offset behind the last message that has been delivered.
	next int64
	// waiting are messages that have been offered and wait for the first map;
	// behind is the offset behind the last one read meanwhile.
	waiting []*entry
	behind  int64
	// passed is the offset that reading has reached with no message before it that is
	// not delivered; settling fires when a transaction of its own is to commit it.
	passed   int64
	settling <-chan time.Time
	// room is the partition's share of what bounds what has been read; held bounds what
	// waits and work what is decoded and placed at a time, both with the other
	// workers. forgot: some of what was to wait did not fit and was let go.
	room       *Share
	held, work *budget
	forgot     bool
	// busy is what the worker has taken of work.
	busy     int64
	standing *watch
}

// entry is a message on its way.
type entry struct {
	message Message
	// next is the offset to commit once the message is done with.
	next   int64
	events Events
	// bad is why there are no events, or why they cannot be placed or written.
	bad *MessageError
	// skipped is why there are no events, and need not be.
	skipped *SkippedError
	// outcome is what by, a map, made of them; pieces make up the output,
	// if it is not one message.
	outcome Outcome
	by      *Published
	pieces  []piece
	// spared is what the dead letter does without.
	spared  spared
	fetched time.Time
	// version is that of the map that placed them.
	version uint64
	// holds is what it counts for while it waits for the first map.
	holds int64
}

// run works until reading is done, then finishes what it has begun unless
// working is done as well. It returns an error only if that is final.
func (w *worker) run(reading, working context.Context) error {
	runs := newIntake(&w.p.settings)
	fetching, stop := context.WithCancel(reading)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		runs.end(w.fetch(fetching, runs))
	}()
	defer func() { stop(); <-gone }()

	for {
		var ready <-chan struct{}
		if len(w.waiting) > 0 || w.forgot || w.unlearnt() {
			ready = w.p.Learner.Ready()
		}
		var err error
		select {
		case <-reading.Done():
			return quiet(w.settle(working), reading, working)
		case <-ready:
			err = w.release(reading, working)
		case <-w.settling:
			err = w.settle(working)
		case <-runs.ready:
			l, some, ended := runs.unload()
			if ended != nil {
				return quiet(ended, reading)
			}
			if some {
				err = w.workThrough(reading, working, l)
				w.room.Give(l.Bytes)
			}
		}
		if err != nil {
			return quiet(err, reading, working)
		}
	}
}

// fetch hands over runs while the worker works on the one before.
func (w *worker) fetch(ctx context.Context, runs *intake) error {
	for {
		run, err := w.gen.Fetch(ctx, w.tp, w.room)
		if err != nil {
			return fmt.Errorf("reading %v: %w", w.tp, err)
		}
		if len(run.Messages) > 0 {
			w.p.Hooks.fetched(w.tp, len(run.Messages))
		}
		if err := runs.put(ctx, run); err != nil {
			return err
		}
		if run.Next >= run.End {
			runs.linger(ctx)
		}
	}
}

// workThrough works through one run in batches. Once reading is done it stops between
// two batches; the rest will be read again by whoever owns the partition then.
func (w *worker) workThrough(reading, working context.Context, run Run) error {
	defer w.finish()
	fetched := time.Now()
	rest := run.Messages
	for len(rest) > 0 && reading.Err() == nil {
		if w.released() {
			if err := w.release(reading, working); err != nil {
				return err
			}
			continue
		}
		batch := make([]*entry, w.p.settings.batch(rest))
		for i, m := range rest[:len(batch)] {
			batch[i] = &entry{message: m, next: m.Offset + 1, fetched: fetched}
		}
		if len(batch) == len(rest) {
			batch[len(batch)-1].next = run.Next
		}
		if err := w.begin(reading, batch); err != nil {
			return err
		}
		n, err := w.decodeAll(reading, working, batch)
		if err != nil {
			return err
		}
		if n == 0 {
			continue
		}
		batch, rest = batch[:n], rest[n:]
		if w.p.LearnOnly {
			if err := w.learn(reading, batch); err != nil {
				return err
			}
			continue
		}
		if len(w.waiting) > 0 || w.forgot || w.p.Learner.Current() == nil {
			if err := w.wait(reading, working, batch); err != nil {
				return err
			}
			continue
		}
		if err := w.process(reading, working, batch); err != nil {
			return err
		}
	}
	if len(run.Messages) == 0 && reading.Err() == nil {
		w.pass(run.Next)
	}
	return nil
}

// batch returns how many of the messages make the next batch.
func (s *Settings) batch(messages []Message) int {
	bytes := 0
	for i := range messages {
		bytes += messages[i].size()
		if i >= s.BatchMessages || i > 0 && bytes > s.BatchBytes {
			return i
		}
	}
	return len(messages)
}

// spoil marks a message as bad, unless it already is.
func (e *entry) spoil(stage Stage, err error) {
	if e.bad == nil {
		e.bad = asMessageError(stage, err)
	}
}

// asMessageError is what an error says of itself, or an error of the stage.
func asMessageError(stage Stage, err error) (m *MessageError) {
	if !errors.As(err, &m) {
		m = &MessageError{Stage: stage, Err: err}
	}
	return m
}

// advance says that everything before offset has been acknowledged.
func (w *worker) advance(offset int64) {
	if offset > w.next {
		w.next = offset
		if w.atomic == nil {
			w.commits.mark(w.tp, offset)
		}
	}
}

// process places a batch and delivers what was made of it; then the learner may
// have the events, also those that it has had before there was a map: now they have a place.
func (w *worker) process(reading, working context.Context, batch []*entry) error {
	outputs, err := w.place(reading, working, batch)
	if err != nil {
		return err
	}
	if err := w.deliver(working, batch, outputs); err != nil {
		return err
	}
	for _, e := range batch {
		if e.good() {
			if err := w.offer(working, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// place returns the outputs of the good messages of a batch, in order. Messages that turn
// out to be bad are marked.
func (w *worker) place(reading, working context.Context, batch []*entry) (outputs []piece, err error) {
	var good []*entry
	var in []Events
	for _, e := range batch {
		if e.good() {
			good, in = append(good, e), append(in, e.events)
		}
	}
	if len(good) == 0 {
		return nil, nil
	}
	current := w.p.Learner.Current()
	start := time.Now()
	outcomes, err := w.outcomes(reading, working, current.Map, good, in)
	if err != nil {
		return nil, err
	}
	events := 0
	for i, e := range good {
		if err := w.p.names.Judge(e.events.Len(), outcomes[i].Err); err != nil {
			return nil, err
		}
	}
	for i, e := range good {
		if outcomes[i].Err != nil {
			e.spoil(StagePlace, outcomes[i].Err)
			continue
		}
		events += e.events.Len()
		e.outcome, e.version, e.by = outcomes[i], current.Version, current
		if outcomes[i].Nothing {
			continue
		}
		outputs = append(outputs, piece{e, 0, e.events.Len(), w.p.output(e, outcomes[i].Value)})
	}
	w.p.Hooks.placed(w.tp, events, time.Since(start))
	return outputs, nil
}

// outcomes has messages placed, as often as it takes until nothing is missing for any of
// them.
func (w *worker) outcomes(reading, working context.Context, on Map, good []*entry, in []Events) ([]Outcome, error) {
	for tries := 1; ; tries++ {
		outcomes, err := on.Place(working, in)
		if err != nil {
			return nil, fmt.Errorf("placing %s and the %d messages after it: %w", good[0].message.Where(), len(good)-1, err)
		}
		if len(outcomes) != len(in) {
			return nil, fmt.Errorf("placing %s: %d outcomes for %d messages", good[0].message.Where(), len(outcomes), len(in))
		}
		i := slices.IndexFunc(outcomes, func(o Outcome) bool { return unavailable(o.Err) != nil })
		if i < 0 {
			return outcomes, nil
		}
		if err := w.retry.later(reading, "place", tries, outcomes[i].Err); err != nil {
			return nil, err
		}
	}
}

// quiet drops errors that only say that one of the contexts is done.
func quiet(err error, ctxs ...context.Context) error {
	for _, ctx := range ctxs {
		if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrRevoked)) {
			return nil
		}
	}
	return err
}
