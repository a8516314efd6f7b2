package stream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"unfold/internal/backoff"
)

// script is a sink with scripted answers that records the written messages.
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

// The remaining messages of a write are retried. Pauses grow while nothing is written.
func TestWritesAgain(t *testing.T) {
	bad := errors.New("bad")
	left := func(indices ...int) error { return &WriteError{Remaining: indices, Err: bad} }
	for name, c := range map[string]struct {
		answers  []error
		written  [][]int
		failures []int // number of failures since some messages were written, at each pause
		left     []int
		refused  []int // indices among all messages
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
			for i, n := range c.failures { // a pause doubles with each failure, with a jitter of one half
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

// commits is a generation with scripted answers to commits.
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

// An acknowledged offset is committed once, the highest of each partition, and retried if that
// fails.
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

// The memory of a batch is freed before its outputs are written, so that other workers can
// continue.
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

// The memory of a batch that was put aside, because there is no map yet, is free for the next batch.
// Otherwise it would be missing for ever.
func TestWorkIsCountedOnce(t *testing.T) {
	w, _ := settler(t)
	for n := range 3 {
		batch := []*entry{{message: Message{Offset: int64(n), Value: make([]byte, 100*(n+1))}, events: nothing{}}}
		if err := w.begin(t.Context(), batch); err != nil || w.work.used != workPerByte*batch[0].message.Weight() {
			t.Errorf("batch %d: %v, %d bytes of work", n, err, w.work.used)
		}
	}
	if w.finish(); w.work.used != 0 {
		t.Errorf("%d bytes of work after the end", w.work.used)
	}
}

// nothing are events without content.
type nothing struct{}

func (nothing) Len() int { return 1 }

// divided are events whose output can be split.
type divided int

func (d divided) Len() int { return int(d) }

func (divided) Part(from, to int) ([]byte, error) { return fmt.Appendf(nil, "%d-%d", from, to), nil }

// An output that is too large is split if possible. Otherwise its message is bad.
func TestCut(t *testing.T) {
	large := errors.New("too large")
	for name, c := range map[string]struct {
		refused  Refused
		tooLarge TooLarge
		parts    Parts
		events   int
		piece    [2]int
		want     []string // parts; nil: the message is bad
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

// The parts of an output are numbered once, also after one of them was split again.
func TestPartsAreNumberedOnce(t *testing.T) {
	w := &worker{p: &Pipeline{}}
	e := &entry{by: &Published{Version: 1}, events: divided(8), outcome: Outcome{Parts: divided(0)}}
	w.cut(&piece{entry: e, to: 8}, Refused{}, nil)
	first := w.number(e)
	w.cut(&first[1], Refused{}, nil)
	var got []string
	for _, p := range w.number(e) {
		part, ok := PartOf(&p.message)
		if n := len(p.message.Headers) - len(w.p.output(e, []byte{}).Headers); !ok || n != 3 {
			t.Errorf("%+v, %v: %d headers of parts", part, ok, n)
		}
		got = append(got, fmt.Sprintf("%d of %d from %d: %s", part.Number, part.Of, part.Row, p.message.Value))
	}
	if want := []string{"1 of 3 from 0: 0-4", "2 of 3 from 4: 4-6", "3 of 3 from 6: 6-8"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The headers of an output contain its origin, its map and the copied headers.
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

// The origin and the part of an output are read from its headers if all are valid.
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
	parts := map[string]string{HeaderPart: "2", HeaderParts: "3", HeaderPartRow: "7"}
	if p, ok := PartOf(&Message{Headers: headers(parts)}); !ok || p != (Part{2, 3, 7}) {
		t.Errorf("%v is part %+v, %v", parts, p, ok)
	}
	spoilt(parts, func(m *Message) bool { _, ok := PartOf(m); return ok })
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
