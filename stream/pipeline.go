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

// Pipeline is the stage: it reads messages, places their events, writes the places downstream and
// commits. The package documentation lists its guarantees. Set the exported fields, then call Run
// once.
type Pipeline struct {
	Source  Source
	Sink    Sink
	Decoder Decoder
	Learner Learner
	// DeadLetter writes bad messages. Without it the first bad message ends Run with an error,
	// because skipping it would lose it.
	DeadLetter *DeadLetter
	// ExactlyOnce delivers in transactions. The source's generations must be Transactional. They
	// write outputs and dead letters themselves, so neither Sink nor DeadLetter.Sink is used.
	ExactlyOnce bool
	// LearnOnly passes messages to the learner and does nothing else. Nothing is placed or written,
	// and unreadable messages are skipped, because the other members of a fleet handle them.
	// Offsets are committed once there is a map that includes them. No sink is needed.
	LearnOnly bool
	// TooLarge selects the treatment of an output that its topic rejects as too large.
	TooLarge TooLarge
	// PassHeaders copies an input's headers to its output. The names of the stage's own headers
	// (content-type, unfold-...) are never copied.
	PassHeaders bool
	// Tracer, if not nil, creates spans for messages.
	Tracer   Tracer
	Settings Settings
	Hooks    Hooks

	settings Settings
	// names checks the columns that the settings name against the first events that are placed.
	names  Names
	owning atomic.Bool
	// watching is the watch of the current generation.
	watching atomic.Pointer[watch]
	// left has an element for each message whose decoding was abandoned and has not ended.
	left chan struct{}
}

// TooLarge is the treatment of an output that is too large for its topic.
type TooLarge int

const (
	// Split writes the output in parts, each with some of the events, if the map supports it
	// (Outcome.Parts). If one event alone is too large, the message becomes a dead letter.
	Split TooLarge = iota
	// ToDeadLetters turns its message into a dead letter.
	ToDeadLetters
)

// Run reads, places and writes until the context is done. It then stops reading, finishes and
// commits the messages it has read within Settings.DrainTimeout plus CommitTimeout, and returns
// nil. It closes neither source nor sink. Any error is final; messages acknowledged before it are
// committed.
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

// Ready reports whether the pipeline owns a share of the source and has a map. The share can be
// empty in a group with more members than partitions.
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
				// Nothing was read in this generation; closing the source leaves the group.
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

// generation runs one generation: a worker for each partition, and the committer. It returns when
// all of them have ended, with nil if the context is done or the generation has ended.
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

	// There are two contexts. The first ends reading; the second ends, later, the work on messages
	// already read.
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
	helpers.Go(func() { p.drain(reading, gen, stop, abort, done) })
	// Without partitions there is no worker, so wait for the end of the generation.
	<-reading.Done()
	// A hanging commit is cancelled with the work, before the last commit begins.
	endCommits()
	workers.Wait()
	close(done)
	helpers.Wait()

	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.settings.CommitTimeout)
	defer cancel()
	// A failure leads to duplicates, not to loss. The hooks have reported it.
	_ = commits.commit(last)

	if cause := context.Cause(reading); ctx.Err() == nil && !errors.Is(cause, ErrRevoked) {
		return cause
	}
	return nil
}

// drain stops reading when the generation is revoked. It aborts the work on messages already read
// that is not done within DrainTimeout after reading has ended.
func (p *Pipeline) drain(reading context.Context, gen Generation, stop context.CancelCauseFunc, abort context.CancelFunc, done <-chan struct{}) {
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
}
