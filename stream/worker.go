package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// worker processes the messages of one partition in order.
type worker struct {
	p   *Pipeline
	gen Generation
	// atomic is gen for exactly-once delivery, otherwise nil.
	atomic  Transactional
	commits *committer
	retry   retrier
	tp      TopicPartition
	// next is the offset behind the last delivered message.
	next int64
	// waiting are messages that have been offered and wait for the first map. behind is the offset
	// behind the last of them.
	waiting []*entry
	behind  int64
	// passed is the offset that reading has reached if all messages before it are delivered.
	// settling fires when it is to be committed in a transaction of its own.
	passed   int64
	settling <-chan time.Time
	// room is the partition's share of the queue of read messages. held limits waiting messages,
	// and work limits decoding and placing, both for all workers together. forgot is true if
	// waiting messages did not fit and were dropped.
	room       *Share
	held, work *budget
	forgot     bool
	// busy is the number of bytes reserved in work.
	busy     int64
	standing *watch
}

// entry is a message that is being processed.
type entry struct {
	message Message
	// next is the offset to commit when the message is done.
	next   int64
	events Events
	// bad is the reason why there are no events, or why they cannot be placed or written.
	bad *MessageError
	// skipped is set if a valid message has no events.
	skipped *SkippedError
	// outcome is the result of placing the events on by. pieces are the parts of an output that was
	// split.
	outcome Outcome
	by      *Published
	pieces  []piece
	// spared is the part that the dead letter omits.
	spared  spared
	fetched time.Time
	// version is the version of the map that placed the events.
	version uint64
	// holds is the number of bytes reserved while it waits for the first map.
	holds int64
}

// run works until reading is done, and then finishes the current batch unless working is done, too.
// Only a final error is returned.
func (w *worker) run(reading, working context.Context) error {
	runs := newRunBuffer(&w.p.settings)
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

// fetch fetches runs while the worker processes the previous one.
func (w *worker) fetch(ctx context.Context, runs *runBuffer) error {
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

// workThrough processes one run in batches. It stops between two batches when reading is done; the
// next owner of the partition reads the rest again.
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

// batch returns the number of messages in the next batch.
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

// spoil marks a message as bad, unless it is already marked.
func (e *entry) spoil(stage Stage, err error) {
	if e.bad == nil {
		e.bad = asMessageError(stage, err)
	}
}

// asMessageError returns the MessageError in the chain of err, or a new one for the stage.
func asMessageError(stage Stage, err error) (m *MessageError) {
	if !errors.As(err, &m) {
		m = &MessageError{Stage: stage, Err: err}
	}
	return m
}

// advance records that all messages before offset have been acknowledged.
func (w *worker) advance(offset int64) {
	if offset > w.next {
		w.next = offset
		if w.atomic == nil {
			w.commits.mark(w.tp, offset)
		}
	}
}

// process places and delivers a batch, and then offers its events to the learner. Events offered
// before the first map are offered again, because they have a place now.
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

// outcomes places messages and retries until no resource is unavailable.
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

// quiet drops errors that only report that one of the contexts is done.
func quiet(err error, ctxs ...context.Context) error {
	for _, ctx := range ctxs {
		if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrRevoked)) {
			return nil
		}
	}
	return err
}
