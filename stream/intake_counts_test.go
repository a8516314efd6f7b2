package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// Waiting messages include the weight of the messages before them that need not wait. A message
// that does not fit drops all of them.
func TestWaitingCounts(t *testing.T) {
	w := &worker{p: &Pipeline{}, held: newBudget(1 << 20)}
	entries := func(from int, sizes ...int) (all []*entry) {
		for i, n := range sizes {
			all = append(all, &entry{message: Message{Value: make([]byte, n)}, next: int64(from + i + 1)})
		}
		return all
	}
	odd := func(e *entry) bool { return e.next%2 == 1 }
	w.keep(entries(0, 10, 20, 30, 40), odd) // next 1 to 4
	if len(w.waiting) != 2 || w.waiting[0].holds != 10+messageBytes || w.waiting[1].holds != 20+30+2*messageBytes || w.held.used != 60+3*messageBytes || w.behind != 4 {
		t.Errorf("%d wait, %d bytes are held, behind %d", len(w.waiting), w.held.used, w.behind)
	}
	w.keep(entries(4, 50), odd)
	if len(w.waiting) != 3 || w.behind != 5 {
		t.Errorf("%d wait, behind %d", len(w.waiting), w.behind)
	}
	w.held.limit = w.held.used
	w.keep(entries(6, 1), odd)
	if len(w.waiting) != 0 || !w.forgot || w.held.used != 0 || w.behind != 5 {
		t.Errorf("%d wait, dropped %v, %d bytes are held, behind %d", len(w.waiting), w.forgot, w.held.used, w.behind)
	}
	w.forgot, w.held.limit = false, 1<<20
	w.keep(entries(6, 1), odd)
	if waited := w.letGo(); len(waited) != 1 || len(w.waiting) != 0 || w.held.used != 0 {
		t.Errorf("%d waited, %d bytes are held", len(waited), w.held.used)
	}
}

// refuses is a learner that rejects events or fails.
type refuses struct {
	Learner
	err error
}

func (r refuses) Offer(context.Context, Events) error { return r.err }

// Events that the learner rejects make their message a dead letter of the stage in the error. Any
// other error ends the stage.
func TestLearnerRefuses(t *testing.T) {
	bad, broken := errors.New("bad"), errors.New("broken")
	for _, c := range []struct {
		err    error
		letter bool
		ends   bool
	}{{nil, false, false}, {&MessageError{Stage: StagePlace, Err: bad}, true, false}, {fmt.Errorf("x: %w", &MessageError{Stage: StagePlace, Err: bad}), true, false}, {broken, false, true}} {
		w, e := &worker{p: &Pipeline{Learner: refuses{err: c.err}}}, &entry{}
		err := w.offer(t.Context(), e)
		if (err != nil) != c.ends || (e.bad != nil) != c.letter || c.letter && (e.bad.Stage != StagePlace || !errors.Is(e.bad, bad)) {
			t.Errorf("%v: %v, the message is bad: %v", c.err, err, e.bad)
		}
	}
	e := &entry{}
	e.spoil(StageDecode, bad)
	if e.spoil(StagePlace, broken); e.bad.Stage != StageDecode || !errors.Is(e.bad, bad) {
		t.Errorf("the first reason is lost: %v", e.bad)
	}
}

// The end is reported to a goroutine that waits for a run.
func TestIntakeEnds(t *testing.T) {
	q := newRunBuffer(&Settings{})
	over := errors.New("over")
	q.end(over)
	select {
	case <-q.ready:
	default:
		t.Error("the end is not reported")
	}
	if _, some, err := q.unload(); some || err != over {
		t.Errorf("%v, %v", some, err)
	}
}

// A learn-only pipeline commits learnt offsets once there is a map, not before.
func TestLearnOnlyCommits(t *testing.T) {
	for _, mapped := range []bool{false, true} {
		w, _ := settler(t)
		w.atomic, w.p.LearnOnly = nil, true
		w.commits = newCommitter(w.gen, w.p.settings, w.retry)
		learner := &shownTo{}
		if mapped {
			learner.current = &Published{}
		}
		w.p.Learner = learner
		bad := &entry{message: Message{Offset: 8}, next: 9}
		bad.spoil(StageDecode, errors.New("bad"))
		var skipped []int64
		w.p.Hooks.Skipped = func(m Message, stage Stage, err error) { skipped = append(skipped, m.Offset) }
		if err := w.learn(t.Context(), []*entry{{message: Message{Offset: 7}, next: 8, events: nothing{}}, bad}); err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int64{false: 7, true: 9}[mapped]; w.next != want || w.behind != 9 || w.unlearnt() == mapped || learner.shown != 1 || !slices.Equal(skipped, []int64{8}) {
			t.Errorf("with a map %v: next %d, behind %d, %d shown, skipped %v", mapped, w.next, w.behind, learner.shown, skipped)
		}
	}
}

// shownTo is a learner that counts the offered messages.
type shownTo struct {
	Learner
	current *Published
	shown   int
}

func (s *shownTo) Offer(context.Context, Events) error { s.shown++; return nil }

func (s *shownTo) Current() *Published { return s.current }

// The end is also reported behind a run that is still to be taken.
func TestIntakeEndsBehindRun(t *testing.T) {
	q := newRunBuffer(&Settings{BatchMessages: 10, BatchBytes: 10})
	q.merge(numbered(0, 2))
	q.end(errors.New("over"))
	<-q.ready
	if l, some, err := q.unload(); len(l.Messages) != 2 || !some || err != nil {
		t.Errorf("%d messages, %v, %v", len(l.Messages), some, err)
	}
	select {
	case <-q.ready:
	default:
		t.Error("the end is not reported")
	}
}
