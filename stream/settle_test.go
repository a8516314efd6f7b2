package stream

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

// transactions records transactions instead of running them.
type transactions struct {
	Transactional
	got []Transaction
	err error
}

func (t *transactions) Transact(_ context.Context, one Transaction) error {
	t.got = append(t.got, one)
	return t.err
}

// Fetch returns no messages until the context is done.
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

// When reading ends, a worker commits its passed offset in a transaction without messages, and reports
// that.
func TestSettlesWhenReadingEnds(t *testing.T) {
	w, gen := settler(t)
	var reported []Position
	w.p.Hooks.Committed = func(at Position) { reported = append(reported, at) }
	w.pass(9)
	reading, stop := context.WithCancel(t.Context())
	stop()
	if err := w.run(reading, t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []Position{{TopicPartition: w.tp, Offset: 9}}; !slices.Equal(reported, want) {
		t.Errorf("commits that are reported: %v, want %v", reported, want)
	}
	if !slices.EqualFunc(gen.got, []Transaction{{Position: Position{TopicPartition: w.tp, Offset: 9}}}, func(a, b Transaction) bool {
		return a.Position == b.Position && len(a.Outputs)+len(a.Letters)+len(b.Outputs) == 0
	}) || w.next != 9 {
		t.Errorf("%+v, next %d", gen.got, w.next)
	}
}

// A passed offset that a batch has committed needs no transaction of its own. Nothing is committed
// twice or moves back, and a revoked generation ends without an error.
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

// Messages that wait for the first map or were dropped hold the offset back.
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
