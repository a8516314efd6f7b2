package stream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"unfold/internal/backoff"
)

// Pipeline is the stage: it reads messages, has them placed, writes the places
// downstream and commits. See the package's documentation for what it promises.
// Set the exported fields, then call Run once.
type Pipeline struct {
	Source  Source
	Sink    Sink
	Decoder Decoder
	Learner Learner
	// DeadLetter takes bad messages. Without it the first one ends Run with an
	// error, because to go on would lose it.
	DeadLetter *DeadLetter
	// ExactlyOnce delivers through transactions: the source's generations must be
	// Transactional, and write to the topics of outputs and dead letters themselves
	// (neither Sink nor DeadLetter.Sink is used).
	ExactlyOnce bool
	// LearnOnly shows messages to the learner and does nothing else: nothing is placed
	// or written, and what cannot be read is skipped, for the others of a fleet do
	// all that. Offsets are committed once there is a map that knows of them. It
	// needs no sink.
	LearnOnly bool
	// TooLarge says what becomes of an output that its topic does not take.
	TooLarge TooLarge
	// PassHeaders hands an input's headers on to its output, beside the stage's own,
	// whose names (content-type, unfold-...) no input can take.
	PassHeaders bool
	// Tracer, if set, gives messages spans.
	Tracer   Tracer
	Settings Settings
	Hooks    Hooks

	settings Settings
	// names judges the columns that the settings name by the first events that a map places.
	names  Names
	owning atomic.Bool
	// watching is of the generation at work.
	watching atomic.Pointer[watch]
	// left has an element for each message that was given up and is still decoded.
	left chan struct{}
}

// TooLarge says what becomes of an output that is too large for its topic.
type TooLarge int

const (
	// Split writes it in parts, of some of the events each, if the map can make such
	// (Outcome.Parts). A message with an event that is too large alone is a dead letter.
	Split TooLarge = iota
	// ToDeadLetters makes its message a dead letter.
	ToDeadLetters
)

// Run reads, places and writes until the context is done; then it stops
// reading, finishes and commits what it has read within Settings.DrainTimeout
// plus CommitTimeout, and returns nil. It closes neither source nor sink. Any
// error is final; what was acknowledged before it is committed.
func (p *Pipeline) Run(ctx context.Context) error {
	if p.Source == nil || p.Sink == nil && !p.ExactlyOnce && !p.LearnOnly || p.Decoder == nil || p.Learner == nil {
		return errors.New("stream: a pipeline needs a source, a sink, a decoder and a learner")
	}
	if p.LearnOnly && p.ExactlyOnce {
		return errors.New("stream: a pipeline that only learns delivers nothing, so not exactly once either")
	}
	var err error
	if p.settings, err = p.Settings.withDefaults(p.ExactlyOnce); err != nil {
		return err
	}
	p.left = make(chan struct{}, mostLeft)
	run, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var learning sync.WaitGroup
	learning.Go(func() {
		if err := p.Learner.Run(run); err != nil {
			fail(fmt.Errorf("learning: %w", err))
		}
	})
	err = p.generations(run)
	stoppedEarly := err == nil && ctx.Err() == nil
	fail(err)
	learning.Wait()
	if err == nil && stoppedEarly {
		err = context.Cause(run)
	}
	return err
}

// Ready reports whether the pipeline owns a share of the source and has a map. The share
// may be no partition at all, in a group that is larger than the topic.
func (p *Pipeline) Ready() bool { return p.owning.Load() && p.Learner.Current() != nil }

// Owning reports whether the pipeline owns a share of the source.
func (p *Pipeline) Owning() bool { return p.owning.Load() }

// generations works through one generation after another. It returns nil when
// the context is done.
func (p *Pipeline) generations(ctx context.Context) error {
	for {
		gen, err := p.Source.Next(ctx)
		if ctx.Err() != nil {
			if err == nil {
				// Nothing was read in it; the source will say goodbye.
				_ = gen.Close()
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading: %w", err)
		}
		p.owning.Store(true)
		err = p.generation(ctx, gen)
		p.owning.Store(false)
		if cerr := gen.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("leaving partitions: %w", cerr)
		}
		if err != nil || ctx.Err() != nil {
			return err
		}
	}
}

// generation owns everything that runs for one generation: a worker for each
// partition and the committer. It returns when all of them have; nil if the
// context is done or the generation is over.
func (p *Pipeline) generation(ctx context.Context, gen Generation) error {
	atomic, ok := gen.(Transactional)
	if p.ExactlyOnce && !ok {
		return fmt.Errorf("stream: %T knows no transactions: exactly-once delivery is not possible", gen)
	}
	if !p.ExactlyOnce {
		atomic = nil
	}
	assigned := gen.Assigned()
	tps := make([]TopicPartition, len(assigned))
	for i, a := range assigned {
		tps[i] = a.TopicPartition
	}
	p.Hooks.assigned(tps)
	defer p.Hooks.revoked(tps)

	// Two contexts: the first ends reading, the second, later, also the work
	// on what has been read.
	reading, stop := context.WithCancelCause(ctx)
	working, abort := context.WithCancel(context.WithoutCancel(ctx))
	defer abort()
	retry := retrier{backoff.Pauses{Least: p.settings.RetryMin, Most: p.settings.RetryMax}, &p.Hooks}
	commits := newCommitter(gen, p.settings, retry)
	rooms := NewQueue(int64(p.settings.QueueBytes), len(assigned))
	waiting, work := newBudget(int64(p.settings.WaitingBytes)), newBudget(int64(p.settings.WorkBytes))

	standing := newWatch()
	p.watching.Store(standing)
	defer p.watching.Store(nil)

	var workers, helpers sync.WaitGroup
	helpers.Go(func() { standing.run(reading, gen, &p.settings, &p.Hooks) })
	for i, a := range assigned {
		w := &worker{p: p, gen: gen, atomic: atomic, commits: commits, retry: retry, tp: a.TopicPartition, next: a.Offset, room: rooms[i], held: waiting, work: work, standing: standing}
		workers.Go(func() {
			if err := w.run(reading, working); err != nil {
				stop(err)
			}
		})
	}
	committing, endCommits := context.WithCancel(working)
	helpers.Go(func() {
		if err := commits.run(committing); err != nil {
			stop(err)
		}
	})
	done := make(chan struct{})
	helpers.Go(func() {
		select {
		case <-gen.Revoked():
			stop(ErrRevoked)
		case <-reading.Done():
		}
		t := time.NewTimer(p.settings.DrainTimeout)
		defer t.Stop()
		select {
		case <-t.C:
			abort()
		case <-done:
		}
	})
	// With no partition at all there is no worker: stay until it is over.
	<-reading.Done()
	// A commit that hangs now is over when the work is, not when the last commit
	// should be.
	endCommits()
	workers.Wait()
	close(done)
	helpers.Wait()

	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.settings.CommitTimeout)
	defer cancel()
	// A failure costs duplicates, not events; the hooks have reported it.
	_ = commits.commit(last)

	if cause := context.Cause(reading); ctx.Err() == nil && !errors.Is(cause, ErrRevoked) {
		return cause
	}
	return nil
}
