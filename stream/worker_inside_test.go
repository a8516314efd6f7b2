package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// An error is dropped if it only reports that one of the contexts is done.
func TestQuiet(t *testing.T) {
	over, stop := context.WithCancel(t.Context())
	stop()
	for _, c := range []struct {
		err  error
		ends bool // dropped once a context is done
	}{{context.Canceled, true}, {context.DeadlineExceeded, true}, {ErrRevoked, true}, {io.EOF, false}} {
		deep := fmt.Errorf("x: %w", c.err)
		if got := quiet(deep, t.Context(), t.Context()); got != deep {
			t.Errorf("%v while both contexts last: %v", deep, got)
		}
		for _, ctxs := range [][]context.Context{{over, t.Context()}, {t.Context(), over}, {over}} {
			if got := quiet(deep, ctxs...); (got == nil) != c.ends {
				t.Errorf("%v once a context is done: %v", deep, got)
			}
		}
	}
	if err := quiet(nil, over); err != nil {
		t.Error(err)
	}
}

// An offset that was acknowledged before is not committed again.
func TestAdvancesOnce(t *testing.T) {
	w, _ := settler(t)
	w.atomic, w.commits = nil, newCommitter(w.gen, w.p.settings, w.retry)
	w.advance(9)
	if got := w.commits.drain(); len(got) != 1 || got[0].Offset != 9 || w.next != 9 {
		t.Errorf("%v, next %d", got, w.next)
	}
	w.advance(9)
	w.advance(8)
	if got := w.commits.drain(); len(got) != 0 || w.next != 9 {
		t.Errorf("%v, next %d", got, w.next)
	}
}

// A learn-only pipeline passes offsets without messages once there is a map.
func TestLearnOnlyPasses(t *testing.T) {
	w, _ := settler(t)
	w.atomic, w.p.LearnOnly, w.commits = nil, true, newCommitter(w.gen, w.p.settings, w.retry)
	learner := &shownTo{}
	w.p.Learner = learner
	if w.pass(9); w.next != 7 || w.behind != 9 || !w.unlearnt() {
		t.Errorf("without a map: next %d, behind %d", w.next, w.behind)
	}
	learner.current = &Published{}
	if w.pass(10); w.next != 10 || w.unlearnt() {
		t.Errorf("with a map: next %d, behind %d", w.next, w.behind)
	}
}

// handing is a generation that returns scripted runs.
type handing struct {
	Generation
	runs  []Run
	asked atomic.Int32
}

func (h *handing) Fetch(ctx context.Context, _ TopicPartition, _ *Share) (Run, error) {
	if n := int(h.asked.Add(1)); n <= len(h.runs) {
		return h.runs[n-1], nil
	}
	<-ctx.Done()
	return Run{}, ctx.Err()
}

// A partition is polled again at once while it has more messages, and after a pause at its end.
func TestLingersAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := settler(t)
		gen := &handing{runs: []Run{{Messages: make([]Message, 1), Next: 8, End: 10}, {Messages: make([]Message, 1), Next: 9, End: 10}, {Messages: make([]Message, 1), Next: 10, End: 10}}}
		w.gen, w.p.settings.Linger = gen, time.Hour
		runs := newRunBuffer(&w.p.settings)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- w.fetch(ctx, runs) }()
		for _, c := range []struct {
			after time.Duration
			asked int32
		}{{0, 3}, {59 * time.Minute, 3}, {2 * time.Minute, 4}} {
			time.Sleep(c.after)
			if synctest.Wait(); gen.asked.Load() != c.asked {
				t.Errorf("%v later it has asked %d times, want %d", c.after, gen.asked.Load(), c.asked)
			}
		}
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// Before the first map bad messages become dead letters at once. With exactly-once delivery they
// wait behind an event, because their offset would be committed with them.
func TestBadMessagesBeforeTheFirstMap(t *testing.T) {
	for _, c := range []struct {
		atomic        bool
		waits         int // messages that are already waiting
		good, bad     bool
		letters, left int
		next          int64
	}{
		{false, 0, false, true, 1, 0, 9},
		{false, 0, true, true, 1, 1, 7},
		{false, 1, false, true, 1, 1, 7},
		{true, 0, false, true, 1, 0, 9},
		{true, 0, true, true, 0, 2, 7},
		{true, 1, false, true, 0, 2, 7},
		{true, 0, true, false, 0, 1, 7},
	} {
		w, gen := settler(t)
		w.p.Learner, w.held, w.room, w.standing = &shownTo{}, newBudget(1<<20), NewQueue(1<<20, 1)[0], newWatch()
		letters := &script{}
		w.p.DeadLetter, w.commits = &DeadLetter{Sink: letters}, newCommitter(gen, w.p.settings, w.retry)
		if !c.atomic {
			w.atomic = nil
		}
		for range c.waits {
			w.waiting = append(w.waiting, &entry{next: 7})
		}
		var batch []*entry
		if c.good {
			batch = append(batch, &entry{message: Message{Offset: 7}, next: 8, events: nothing{}})
		}
		if c.bad {
			e := &entry{message: Message{Offset: 8}}
			e.spoil(StageDecode, errors.New("bad"))
			batch = append(batch, e)
		}
		batch[len(batch)-1].next = 9
		delivered := false
		w.p.Hooks.Delivered = func(TopicPartition, int, int, time.Duration) { delivered = true }
		if err := w.wait(t.Context(), t.Context(), batch); err != nil {
			t.Fatal(err)
		}
		n := len(letters.got)
		for _, one := range gen.got {
			n += len(one.Letters)
		}
		if n != c.letters || len(w.waiting) != c.left || w.next != c.next || delivered {
			t.Errorf("%+v: %d dead letters, %d wait, next %d, reported as delivered: %v", c, n, len(w.waiting), w.next, delivered)
		}
	}
}

// Standing lists a partition as soon as it has stood still for the given time.
func TestStandsForAsLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := &Pipeline{}, newWatch()
		p.watching.Store(w)
		w.note([]Progress{{End: 1}}, nil, time.Now())
		for after, want := range []int{0, 1, 1} {
			if list, _, _ := p.Standing(time.Second); len(list) != want {
				t.Errorf("after %d s %v stand", after, list)
			}
			time.Sleep(time.Second)
		}
	})
}

// Bytes granted while the request is cancelled are returned.
func TestQueueGrantsTooLate(t *testing.T) {
	room := NewQueue(400, 1)[0]
	over, stop := context.WithCancel(t.Context())
	stop()
	for range 100 { // in about half of the cases select sees the grant first
		if err := room.Take(over, 10); err == nil {
			room.Return(10)
		}
	}
	if room.q.used != 0 || room.held != 0 {
		t.Errorf("%d bytes are taken for nobody", room.q.used)
	}
	room.Try(300)
	room.Hand(300)
	if err := room.Take(t.Context(), 0); err != nil {
		t.Error(err)
	}
}

// An empty write does not call the sink.
func TestWritesNothing(t *testing.T) {
	s := &script{}
	if left, err := (retrier{hooks: &Hooks{}}).write(t.Context(), "write", s, nil); left != nil || err != nil || len(s.got) != 0 {
		t.Errorf("%v, %v: %v", left, err, s.got)
	}
}

// named are events with a format.
type named struct{ nothing }

func (named) Format() string { return "json" }

// The format of a message is reported if it has one and the hook is set.
func TestFormatsAreReported(t *testing.T) {
	(&Hooks{}).decoded(TopicPartition{}, named{})
	var got []string
	h := &Hooks{MessageIn: func(_ TopicPartition, format string) { got = append(got, format) }}
	h.decoded(TopicPartition{}, nothing{})
	if h.decoded(TopicPartition{}, named{}); len(got) != 1 || got[0] != "json" {
		t.Errorf("formats %q", got)
	}
}
