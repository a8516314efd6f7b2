package stream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"unfold/internal/backoff"
)

// A queue counts what is taken and what is on its way like plain sums, whatever is done in which order.
func TestQueueCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	const limit = 1000
	rooms := NewQueue(limit, 3)
	q := rooms[0].q
	var held [3]int64
	moving := int64(0)
	used := func() int64 { return held[0] + held[1] + held[2] + moving }
	for step := range 5000 {
		i := rng.IntN(3)
		room, n := rooms[i], rng.Int64N(300)
		switch rng.IntN(6) {
		case 0, 1:
			want := n <= 0 || used()+n <= q.limit
			if got := room.Try(n); got != want {
				t.Fatalf("step %d: %d of %d are taken, and %d more: %v", step, used(), q.limit, n, got)
			} else if got {
				held[i] += max(n, 0)
			}
		case 2:
			n = min(n, held[i])
			room.Return(n)
			held[i] -= n
		case 3:
			n = min(n, held[i])
			room.Hand(n)
			held[i], moving = held[i]-n, moving+n
		case 4:
			n = min(n, moving)
			room.Give(n)
			moving -= n
		case 5:
			if n = rng.Int64N(20); step%10 == 0 {
				room.Count(n)
				moving += n
			}
		}
		if q.used != used() || q.moving != moving || rooms[0].held != held[0] || rooms[1].held != held[1] || rooms[2].held != held[2] {
			t.Fatalf("step %d: %+v, want %d used, %d moving, %v held", step, q, used(), moving, held)
		}
	}
}

// Who takes waits for what is on its way, in order, to the last byte of the limit; when nothing is on its
// way the first may go beyond, alone.
func TestQueueOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rooms := NewQueue(400, 3) // of which 300 are for messages
		var got []string
		take := func(i int, n int64) {
			go func() {
				if err := rooms[i].Take(t.Context(), n); err != nil {
					t.Error(err)
				}
				got = append(got, fmt.Sprint(i, ":", n))
			}()
			synctest.Wait()
		}
		want := func(when string, all ...string) {
			t.Helper()
			synctest.Wait()
			if !slices.Equal(got, all) {
				t.Errorf("%s: %q, want %q", when, got, all)
			}
			got = nil
		}
		rooms[0].Try(100)
		rooms[0].Hand(100)
		take(1, 200)
		want("to the limit", "1:200")
		if rooms[0].q.over != nil {
			t.Error("the limit itself is beyond the limit")
		}
		take(2, 1)
		want("beyond it")
		if !rooms[0].Try(0) || rooms[0].Try(1) {
			t.Error("something is taken before who waits")
		}
		take(0, 50)
		rooms[0].Give(1)
		want("a byte is free", "2:1")
		rooms[1].Return(49)
		want("not enough")
		rooms[1].Return(1)
		want("enough", "0:50")
		take(2, 1000)
		want("much more, while something is on its way")
		rooms[0].Give(99)
		want("nothing is on its way", "2:1000")
		take(0, 10)
		take(2, 10)
		want("who is beyond goes on, others wait", "2:10")
		rooms[2].Return(1011)
		want("who was beyond has nothing", "0:10")
		if rooms[0].q.over != nil || len(rooms[0].q.line) != 0 {
			t.Errorf("%+v", rooms[0].q)
		}
	})
}

// A message weighs what it holds, and what its parts take beside that.
func TestWeights(t *testing.T) {
	m := Message{Key: []byte("key"), Value: []byte("value"), Headers: []Header{{"a", []byte("12")}, {"bc", nil}}}
	if m.size() != 3+5+1+2+2 || m.Overhead() != messageBytes+2*headerBytes || m.Weight() != int64(m.size())+m.Overhead() || (&Message{}).Weight() != messageBytes {
		t.Errorf("%d of size, %d beside it, %d in all", m.size(), m.Overhead(), m.Weight())
	}
	for i, c := range []struct {
		m    Message
		want bool
	}{{Message{Key: []byte{}}, true}, {Message{Key: []byte{}, Value: []byte{}}, false}, {Message{}, false}} {
		if c.m.Tombstone() != c.want {
			t.Errorf("message %d is a tombstone: %v", i, !c.want)
		}
	}
	twice := Message{Headers: []Header{{"a", []byte("1")}, {"b", nil}, {"a", []byte("2")}}}
	if v, ok := twice.Header("a"); !ok || string(v) != "2" {
		t.Errorf("%q, %v", v, ok)
	}
	if v, ok := twice.Header("b"); !ok || v != nil {
		t.Errorf("%q, %v", v, ok)
	}
	if _, ok := twice.Header("c"); ok {
		t.Error("there is a header c")
	}
	s := Settings{BatchMessages: 3, BatchBytes: 10}
	of := func(sizes ...int) (all []Message) {
		for _, n := range sizes {
			all = append(all, Message{Value: make([]byte, n)})
		}
		return all
	}
	for _, c := range []struct {
		sizes []int
		want  int
	}{{nil, 0}, {[]int{1}, 1}, {[]int{1, 1, 1}, 3}, {[]int{1, 1, 1, 1}, 3}, {[]int{5, 5}, 2}, {[]int{5, 6}, 1}, {[]int{11, 1}, 1}, {[]int{50}, 1}, {[]int{0, 10, 1}, 2}} {
		if got := s.batch(of(c.sizes...)); got != c.want {
			t.Errorf("%v: a batch of %d, want %d", c.sizes, got, c.want)
		}
	}
}

// Settings have their defaults where they are 0, and only there.
func TestDefaults(t *testing.T) {
	want := Settings{BatchMessages: 512, BatchBytes: 4 << 20, Linger: 5 * time.Millisecond, QueueBytes: 64 << 20, WaitingBytes: 256 << 20, WorkBytes: 256 << 20,
		DecodeTime: 30 * time.Second, CommitEvery: 500 * time.Millisecond, LagEvery: 5 * time.Second, LagTimeout: 10 * time.Second,
		RetryMin: 100 * time.Millisecond, RetryMax: 5 * time.Second, DrainTimeout: 4 * time.Second, CommitTimeout: 3 * time.Second}
	if got, err := (Settings{}).withDefaults(false); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	want.BatchMessages = 4096
	if got, err := (Settings{}).withDefaults(true); err != nil || got != want {
		t.Errorf("exactly once: %+v, %v", got, err)
	}
	own := Settings{1, 2, -3, 4, 5, 6, 7, 8, 9, 10, 11, 11, 13, 14}
	for _, exactlyOnce := range []bool{false, true} {
		if got, err := own.withDefaults(exactlyOnce); err != nil || got != own {
			t.Errorf("%+v, %v", got, err)
		}
	}
	v := reflect.ValueOf(&own).Elem()
	for i := range v.NumField() {
		name, was := v.Type().Field(i).Name, v.Field(i).Int()
		if name == "Linger" {
			continue
		}
		v.Field(i).SetInt(-1)
		if _, err := own.withDefaults(false); err == nil {
			t.Errorf("%s may be negative", name)
		}
		v.Field(i).SetInt(was)
	}
	own.RetryMax = own.RetryMin - 1
	if _, err := own.withDefaults(false); err == nil {
		t.Error("the longest pause is shorter than the shortest")
	}
}

// script is a sink that answers as it is told, and notes what is written.
type script struct {
	Sink
	answers []error
	got     [][]int
	look    func()
}

func (s *script) Write(_ context.Context, messages []Message) error {
	var offsets []int
	for _, m := range messages {
		offsets = append(offsets, int(m.Offset))
	}
	s.got = append(s.got, offsets)
	if s.look != nil {
		s.look()
	}
	if len(s.got) > len(s.answers) {
		return nil
	}
	return s.answers[len(s.got)-1]
}

// What is left of a write is written again, after pauses that grow while nothing is written.
func TestWritesAgain(t *testing.T) {
	bad := errors.New("bad")
	left := func(indices ...int) error { return &WriteError{Remaining: indices, Err: bad} }
	for name, c := range map[string]struct {
		answers  []error
		written  [][]int
		failures []int // since some were written, at each pause
		left     []int
		refused  []int // indices among all
	}{
		"at once":         {nil, [][]int{{0, 1, 2, 3}}, nil, nil, nil},
		"all again":       {[]error{bad, bad, bad}, [][]int{{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}}, []int{1, 2, 3}, nil, nil},
		"some again":      {[]error{bad, bad, left(1, 3), bad, left(1), bad}, [][]int{{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}, {1, 3}, {1, 3}, {3}, {3}}, []int{1, 2, 1, 2, 1, 2}, nil, nil},
		"refused":         {[]error{left(1, 3), fmt.Errorf("x: %w", &WriteError{Remaining: []int{1}, Err: &RefusedError{Messages: []Refused{{Index: 1}}}})}, [][]int{{0, 1, 2, 3}, {1, 3}}, []int{1}, []int{3}, []int{3}},
		"refused at once": {[]error{&WriteError{Remaining: []int{0, 2}, Err: &RefusedError{Messages: []Refused{{Index: 2}}}}}, [][]int{{0, 1, 2, 3}}, nil, []int{0, 2}, []int{2}},
	} {
		synctest.Test(t, func(t *testing.T) {
			var pauses []time.Duration
			hooks := &Hooks{Retrying: func(what string, attempt int, err error, pause time.Duration) {
				if pauses = append(pauses, pause); what != "write" || attempt != len(pauses) || !errors.Is(err, bad) {
					t.Errorf("%s: %s, attempt %d: %v", name, what, attempt, err)
				}
			}}
			r := retrier{backoff.Pauses{Least: time.Second, Most: time.Hour}, hooks}
			s := &script{answers: c.answers}
			rest, err := r.write(t.Context(), "write", s, []Message{{Offset: 0}, {Offset: 1}, {Offset: 2}, {Offset: 3}})
			var refused *RefusedError
			if errors.As(err, &refused) != (c.refused != nil) || c.refused == nil && err != nil || !slices.Equal(rest, c.left) || !reflect.DeepEqual(s.got, c.written) {
				t.Errorf("%s: %v are left of %v, %v", name, rest, s.got, err)
			}
			for i, index := range c.refused {
				if refused.Messages[i].Index != index {
					t.Errorf("%s: refused are %+v", name, refused.Messages)
				}
			}
			if len(pauses) != len(c.failures) {
				t.Fatalf("%s: pauses %v", name, pauses)
			}
			for i, n := range c.failures { // a pause doubles with each failure, give or take a half
				if usual := time.Second << (n - 1); pauses[i] < usual/2 || pauses[i] > usual*3/2 {
					t.Errorf("%s: pause %d is %v after %d failures", name, i, pauses[i], n)
				}
			}
		})
	}
	over, stop := context.WithCancel(t.Context())
	stop()
	r := retrier{backoff.Pauses{Least: time.Hour, Most: time.Hour}, &Hooks{}}
	if rest, err := r.write(over, "write", &script{answers: []error{left(1)}}, make([]Message, 3)); !errors.Is(err, context.Canceled) || !slices.Equal(rest, []int{1}) {
		t.Errorf("the context is over: %v are left, %v", rest, err)
	}
}

// commits are a generation that commits as it is told.
type commits struct {
	Generation
	answers []error
	got     [][]Position
}

func (c *commits) Commit(_ context.Context, positions []Position) error {
	c.got = append(c.got, positions)
	if len(c.got) > len(c.answers) {
		return nil
	}
	return c.answers[len(c.got)-1]
}

// What is acknowledged is committed once, the furthest offset of each partition, and again if that fails.
func TestCommitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := errors.New("bad")
		var committed []Position
		var attempts []int
		hooks := &Hooks{Committed: func(p Position) { committed = append(committed, p) }, Retrying: func(what string, attempt int, err error, _ time.Duration) {
			if attempts = append(attempts, attempt); what != "commit" || err != bad {
				t.Errorf("%s: %v", what, err)
			}
		}}
		gen := &commits{answers: []error{bad, bad, nil, ErrRevoked}}
		c := newCommitter(gen, Settings{CommitEvery: time.Second}, retrier{backoff.Pauses{Least: time.Second, Most: time.Second}, hooks})
		a, b := TopicPartition{Topic: "in"}, TopicPartition{Topic: "in", Partition: 1}
		if err := c.commit(t.Context()); err != nil || len(gen.got) != 0 {
			t.Errorf("nothing to commit: %v, %v", gen.got, err)
		}
		c.mark(a, 5)
		c.mark(b, 7)
		c.mark(a, 3)
		want := []Position{{TopicPartition: a, Offset: 5}, {TopicPartition: b, Offset: 7}}
		if err := c.commit(t.Context()); err != nil || !reflect.DeepEqual(gen.got, [][]Position{want, want, want}) || !slices.Equal(committed, want) || !slices.Equal(attempts, []int{1, 2}) {
			t.Errorf("%v, reported %v after attempts %v, %v", gen.got, committed, attempts, err)
		}
		if err := c.commit(t.Context()); err != nil || len(gen.got) != 3 {
			t.Errorf("committed again: %v, %v", gen.got, err)
		}
		c.mark(b, 9)
		if err := c.commit(t.Context()); !errors.Is(err, ErrRevoked) || len(committed) != 2 || !maps.Equal(c.dirty, map[TopicPartition]int64{b: 9}) {
			t.Errorf("the generation is over: %v, %v is left", err, c.dirty)
		}
		begin := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		go func() { time.Sleep(30 * time.Second); c.mark(a, 11) }()
		if err := c.run(ctx); err != nil || time.Since(begin) != 90*time.Second || len(gen.got) != 6 || gen.got[5][0].Offset != 11 {
			t.Errorf("it ran for %v: %v, %v", time.Since(begin), gen.got, err)
		}
		gen.answers = slices.Repeat([]error{ErrRevoked}, 9)
		c.mark(a, 12)
		if err := c.run(t.Context()); !errors.Is(err, ErrRevoked) {
			t.Errorf("it ends with %v", err)
		}
	})
}

// A budget lets wait what does not fit, to the last byte, unless there is nothing else.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(100)
		done := 0
		reserve := func(n int64) {
			go func() {
				if err := b.reserve(t.Context(), n); err != nil {
					t.Error(err)
				}
				done++
			}()
			synctest.Wait()
		}
		for _, c := range []struct {
			do   func()
			used int64
			done int
		}{
			{func() { reserve(60) }, 60, 1},
			{func() { reserve(40) }, 100, 2},
			{func() { reserve(1) }, 100, 2},
			{func() { b.count(-1) }, 100, 3},
			{func() { reserve(500) }, 100, 3},
			{func() { b.count(-99) }, 1, 3},
			{func() { b.count(-1) }, 500, 4},
			{func() { b.count(-450) }, 50, 4},
			{func() {
				if b.fits(51) || !b.fits(50) || b.fits(1) {
					t.Error("what fits does not, or what does not fits")
				}
			}, 100, 4},
			{func() { b.count(7) }, 107, 4},
		} {
			c.do()
			if synctest.Wait(); b.used != c.used || done != c.done {
				t.Fatalf("%d used, %d done; want %d and %d", b.used, done, c.used, c.done)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := b.reserve(ctx, 1); !errors.Is(err, context.DeadlineExceeded) || b.used != 107 {
			t.Errorf("%v, %d used", err, b.used)
		}
	})
}

// Messages that wait for a map count with those before them that need not, until they go; what does not fit ends the waiting.
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

// refuses is a learner that finds events bad, or fails.
type refuses struct {
	Learner
	err error
}

func (r refuses) Offer(context.Context, Events) error { return r.err }

// Events that the learner finds bad make their message a dead letter of the stage that it names; another error ends it.
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

// The work on a batch is over before its outputs are written: others work meanwhile.
func TestWorkEndsBeforeWriting(t *testing.T) {
	w, _ := settler(t)
	w.atomic, w.room, w.work = nil, NewQueue(1<<20, 1)[0], newBudget(1<<20)
	w.commits = newCommitter(w.gen, w.p.settings, w.retry)
	w.standing = newWatch()
	during, made := int64(-1), int64(-1)
	w.p.Sink = &script{look: func() { during, made = w.work.used, w.room.q.moving }}
	batch := []*entry{{message: Message{Offset: 7, Value: make([]byte, 100)}, next: 8, events: nothing{}}}
	if err := w.begin(t.Context(), batch); err != nil || w.work.used != workPerByte*batch[0].message.Weight() || w.busy != w.work.used {
		t.Fatalf("%v, %d bytes of work", err, w.work.used)
	}
	if err := w.deliver(t.Context(), batch, []piece{{entry: batch[0], to: 1, message: Message{Offset: 7, Value: make([]byte, 50)}}}); err != nil {
		t.Fatal(err)
	}
	if made != 50+messageBytes || w.room.q.used != 0 {
		t.Errorf("%d bytes of outputs are counted while they are written, %d after", made, w.room.q.used)
	}
	if during != 0 || w.busy != 0 || w.next != 8 {
		t.Errorf("%d bytes of work while it is written, %d after; next %d", during, w.busy, w.next)
	}
}

// nothing are no events.
type nothing struct{}

func (nothing) Len() int { return 1 }

// divided are events of which parts can be made.
type divided int

func (d divided) Len() int                        { return int(d) }
func (divided) Part(from, to int) ([]byte, error) { return fmt.Appendf(nil, "%d-%d", from, to), nil }

// An output that is too large is divided if it can be; otherwise its message is bad.
func TestCut(t *testing.T) {
	large := errors.New("too large")
	for name, c := range map[string]struct {
		refused  Refused
		tooLarge TooLarge
		parts    Parts
		events   int
		piece    [2]int
		want     []string // parts; nil: it is bad
		why      string
	}{
		"in two":            {Refused{}, Split, divided(0), 6, [2]int{0, 6}, []string{"0-3", "3-6"}, ""},
		"by its size":       {Refused{Size: 900, Limit: 300}, Split, divided(0), 8, [2]int{0, 8}, []string{"0-2", "2-4", "4-6", "6-8"}, ""},
		"two events":        {Refused{}, Split, divided(0), 2, [2]int{0, 2}, []string{"0-1", "1-2"}, ""},
		"whatever its size": {Refused{Why: large}, Split, divided(0), 6, [2]int{0, 6}, nil, "too large"},
		"not to be divided": {Refused{}, ToDeadLetters, divided(0), 6, [2]int{0, 6}, nil, "too large"},
		"no parts":          {Refused{}, Split, nil, 6, [2]int{0, 6}, nil, "too large"},
		"one event":         {Refused{}, Split, divided(0), 1, [2]int{0, 1}, nil, "too large"},
		"one event of many": {Refused{}, Split, divided(0), 6, [2]int{3, 4}, nil, "event 3 alone is too large"},
	} {
		w := &worker{p: &Pipeline{TooLarge: c.tooLarge}}
		e := &entry{by: &Published{Version: 1}, events: divided(c.events), outcome: Outcome{Parts: c.parts}}
		w.cut(&piece{entry: e, from: c.piece[0], to: c.piece[1]}, c.refused, large)
		var got []string
		for _, p := range e.pieces {
			got = append(got, string(p.message.Value))
		}
		if !slices.Equal(got, c.want) || (e.bad != nil) != (c.want == nil) || e.bad != nil && (e.bad.Stage != StageWrite || !strings.Contains(e.bad.Error(), c.why)) {
			t.Errorf("%s: parts %q, bad: %v", name, got, e.bad)
		}
	}
}

// The headers of an output say where it is from, on which map it was placed, and what is passed on.
func TestOutputHeaders(t *testing.T) {
	in := Message{TopicPartition: TopicPartition{Topic: "in", Partition: 3}, Offset: 9, Key: []byte("k"), Time: time.UnixMilli(5), Headers: []Header{
		{HeaderTraceState, []byte("state")}, {HeaderKeySchema, []byte("7")}, {HeaderValueSchema, []byte("8")}, {"mine", []byte("x")}, {"unfold-other", nil}, {HeaderContentType, []byte("text")}}}
	e := &entry{message: in, by: &Published{Version: 4, MapID: "m"}}
	from := []Header{{HeaderSourceTopic, []byte("in")}, {HeaderSourcePartition, []byte("3")}, {HeaderSourceOffset, []byte("9")}, {HeaderModelVersion, []byte("4")}, {HeaderMapID, []byte("m")},
		{HeaderTraceState, []byte("state")}, {HeaderKeySchema, []byte("7")}}
	for name, c := range map[string]struct {
		p     *Pipeline
		typ   string
		value []byte
		want  []Header
	}{
		"an output":      {&Pipeline{}, "", []byte("v"), append([]Header{{HeaderContentType, []byte(ContentType)}}, from...)},
		"of a type":      {&Pipeline{}, "application/json", []byte("v"), append([]Header{{HeaderContentType, []byte("application/json")}}, from...)},
		"a tombstone":    {&Pipeline{}, "", nil, from},
		"what is passed": {&Pipeline{PassHeaders: true}, "", nil, append(slices.Clone(from), Header{"mine", []byte("x")})},
	} {
		e.outcome.ContentType = c.typ
		m := c.p.output(e, c.value)
		if !reflect.DeepEqual(m.Headers, c.want) || string(m.Key) != "k" || !m.Time.Equal(in.Time) || m.Offset != 9 || m.TopicPartition != in.TopicPartition || string(m.Value) != string(c.value) {
			t.Errorf("%s: %+v with %q", name, m, m.Headers)
		}
	}
}

// The end is reported to who waits for something to take.
func TestIntakeEnds(t *testing.T) {
	q := newIntake(&Settings{})
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

// A pipeline that only learns commits what the learner has seen once there is a map; before, its offset waits.
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

// shownTo is a learner that counts what it is shown.
type shownTo struct {
	Learner
	current *Published
	shown   int
}

func (s *shownTo) Offer(context.Context, Events) error { s.shown++; return nil }
func (s *shownTo) Current() *Published                 { return s.current }

// The end is reported behind what is still to be taken, too.
func TestIntakeEndsBehindRun(t *testing.T) {
	q := newIntake(&Settings{BatchMessages: 10, BatchBytes: 10})
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

// Who gives up waiting lets those behind go on.
func TestQueueGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rooms := NewQueue(400, 3)
		rooms[0].Try(200)
		rooms[0].Hand(200)
		ctx, cancel := context.WithCancel(t.Context())
		taken := false
		go func() {
			if err := rooms[1].Take(ctx, 200); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}()
		synctest.Wait()
		go func() {
			if err := rooms[2].Take(t.Context(), 50); err != nil {
				t.Error(err)
			}
			taken = true
		}()
		synctest.Wait()
		if taken {
			t.Error("who came later goes first")
		}
		cancel()
		if synctest.Wait(); !taken {
			t.Error("who is behind one that gave up waits for ever")
			rooms[0].Give(200)
		}
	})
}

// Where a message is from, and which part of an output it is, is read from its headers if all make sense.
func TestHeadersThatMakeNoSense(t *testing.T) {
	headers := func(values map[string]string) (all []Header) {
		for key, v := range values {
			all = append(all, Header{key, []byte(v)})
		}
		return all
	}
	spoilt := func(good map[string]string, check func(m *Message) bool) {
		t.Helper()
		if !check(&Message{Headers: headers(good)}) {
			t.Errorf("%v makes no sense", good)
		}
		for key, was := range good {
			for _, value := range []string{"", "-1", "x"} {
				if good[key] = value; key == HeaderSourceTopic || key == headerErrorTopic {
					delete(good, key)
				}
				if check(&Message{Headers: headers(good)}) {
					t.Errorf("%v makes sense", good)
				}
			}
			good[key] = was
		}
	}
	spoilt(map[string]string{HeaderSourceTopic: "in", HeaderSourcePartition: "2", HeaderSourceOffset: "7", HeaderModelVersion: "5"}, func(m *Message) bool { _, _, ok := Origin(m); return ok })
	spoilt(map[string]string{HeaderPart: "2", HeaderParts: "3", HeaderPartRow: "7"}, func(m *Message) bool {
		p, ok := PartOf(m)
		return ok && p == Part{2, 3, 7}
	})
	for number, want := range map[string]bool{"0": false, "1": true, "3": true, "4": false} {
		if _, ok := PartOf(&Message{Headers: headers(map[string]string{HeaderPart: number, HeaderParts: "3", HeaderPartRow: "0"})}); ok != want {
			t.Errorf("part %s of 3 makes sense: %v", number, ok)
		}
	}
	if p, ok := PartOf(&Message{}); !ok || p != (Part{1, 1, 0}) {
		t.Errorf("a whole output is part %+v, %v", p, ok)
	}
	for _, gone := range []string{headerErrorTopic, headerErrorPartition, headerErrorOffset} {
		letter := (&DeadLetter{}).Message(Message{TopicPartition: TopicPartition{Topic: "in"}, Offset: 5, Value: []byte("v")}, StageDecode, errors.New("bad"))
		if _, _, ok := ReadDeadLetter(letter); !ok {
			t.Error("it is no dead letter")
		}
		letter.Headers = slices.DeleteFunc(letter.Headers, func(h Header) bool { return h.Key == gone })
		if _, _, ok := ReadDeadLetter(letter); ok {
			t.Errorf("without %s it is a dead letter", gone)
		}
	}
}
