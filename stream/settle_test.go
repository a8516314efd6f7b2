package stream

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

// transactions note what was to be done in transactions.
type transactions struct {
	Transactional
	got []Transaction
	err error
}

func (t *transactions) Transact(_ context.Context, one Transaction) error {
	t.got = append(t.got, one)
	return t.err
}

// silent is a Fetch that waits for its end.
func (t *transactions) Fetch(ctx context.Context, _ TopicPartition, _ *Share) (Run, error) {
	<-ctx.Done()
	return Run{}, ctx.Err()
}

// published is a learner that has a map.
type published struct{ Learner }

func (published) Current() *Published { return &Published{} }

func settler(t *testing.T) (*worker, *transactions) {
	t.Helper()
	gen, tp := &transactions{}, TopicPartition{Topic: "in"}
	p := &Pipeline{Learner: published{}}
	var err error
	if p.settings, err = (Settings{CommitEvery: time.Hour}).withDefaults(true); err != nil {
		t.Fatal(err)
	}
	return &worker{p: p, gen: gen, atomic: gen, tp: tp, next: 7, retry: retrier{hooks: &p.Hooks}, work: newBudget(1 << 20)}, gen
}

// Once reading is over a worker commits what it has passed, in a transaction without messages.
func TestSettlesWhenReadingEnds(t *testing.T) {
	w, gen := settler(t)
	w.pass(9)
	reading, stop := context.WithCancel(t.Context())
	stop()
	if err := w.run(reading, t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(gen.got, []Transaction{{Position: Position{TopicPartition: w.tp, Offset: 9}}}, func(a, b Transaction) bool {
		return a.Position == b.Position && len(a.Outputs)+len(a.Letters)+len(b.Outputs) == 0
	}) || w.next != 9 {
		t.Errorf("%+v, next %d", gen.got, w.next)
	}
}

// What a batch's transaction has committed needs no other one, nothing is committed twice or
// moves back, and a generation that is over ends quietly.
func TestSettlesOnce(t *testing.T) {
	w, gen := settler(t)
	w.pass(9)
	w.advance(12)
	if err := w.settle(t.Context()); err != nil || len(gen.got) != 0 || w.next != 12 {
		t.Errorf("behind a batch: %v, %+v", err, gen.got)
	}
	w.pass(13)
	w.advance(13)
	if err := w.settle(t.Context()); err != nil || len(gen.got) != 0 || w.next != 13 {
		t.Errorf("exactly behind a batch: %v, %+v", err, gen.got)
	}
	w.pass(13)
	if w.settling != nil {
		t.Error("a position that is committed is to be committed again")
	}
	w.pass(14)
	for range 2 {
		if err := w.settle(t.Context()); err != nil || len(gen.got) != 1 {
			t.Errorf("%v, %+v", err, gen.got)
		}
	}
	gen.err = ErrRevoked
	w.pass(20)
	if err := w.settle(t.Context()); !errors.Is(err, ErrRevoked) || w.next != 14 {
		t.Errorf("%v, next %d", err, w.next)
	}
}

// Messages that wait for the first map, or were left out, hold the offset back.
func TestWaitingMessagesAreNotPassed(t *testing.T) {
	w, gen := settler(t)
	w.waiting = []*entry{{next: 8}}
	w.pass(9)
	if w.settling != nil || w.behind != 9 {
		t.Errorf("with a message that waits: behind %d", w.behind)
	}
	w.waiting, w.forgot = nil, true
	w.pass(10)
	if w.settling != nil || w.behind != 9 {
		t.Errorf("with messages that were dropped: behind %d", w.behind)
	}
	over, stop := context.WithCancel(t.Context())
	stop()
	w.forgot = false
	if err := w.workThrough(over, t.Context(), Run{Next: 11}); err != nil || w.settling != nil || len(gen.got) > 0 {
		t.Errorf("once reading is over: %v, %+v", err, gen.got)
	}
}
