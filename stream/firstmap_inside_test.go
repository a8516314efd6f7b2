package stream

import (
	"context"
	"errors"
	"reflect"
	"testing"
)

// appearing is a learner whose map appears on command. It places each message as its value.
type appearing struct {
	Learner
	current *Published
}

func (a *appearing) Offer(context.Context, Events) error { return nil }

func (a *appearing) Current() *Published { return a.current }

func (a *appearing) Place(_ context.Context, events []Events) ([]Outcome, error) {
	out := make([]Outcome, len(events))
	for i := range out {
		out[i].Value = []byte("placed")
	}
	return out, nil
}

// If a map appears while a batch is decoded, the batch does not overtake messages that have waited
// for the map. If these did not fit into memory, nothing is placed before they are read again.
func TestMapAppearsWhileDecoding(t *testing.T) {
	for _, c := range []struct {
		waiting int64 // bytes
		written [][]int
		next    int64
		err     error
	}{
		{1 << 20, [][]int{{7}, {8}}, 9, nil},
		{1, nil, 7, ErrRevoked},
	} {
		w, _ := settler(t)
		learner := &appearing{}
		w.p.Learner, w.p.settings.BatchMessages = learner, 1
		w.p.Decoder = decodes(func(m Message) (Events, error) {
			if m.Offset == 8 {
				learner.current = &Published{Map: learner, Version: 1}
			}
			return nothing{}, nil
		})
		sink := &script{}
		w.p.Sink, w.atomic, w.standing = sink, nil, newWatch()
		w.commits = newCommitter(w.gen, w.p.settings, w.retry)
		w.room, w.held, w.work = NewQueue(1<<20, 1)[0], newBudget(c.waiting), newBudget(1<<20)
		run := Run{Messages: []Message{{Offset: 7}, {Offset: 8}}, Next: 9}
		if err := w.workThrough(t.Context(), t.Context(), run); err != nil {
			t.Fatal(err)
		}
		if len(sink.got) > 0 {
			t.Errorf("%v are written before what has waited is released", sink.got)
		}
		if err := w.release(t.Context(), t.Context()); !errors.Is(err, c.err) {
			t.Errorf("%v, want %v", err, c.err)
		}
		if !reflect.DeepEqual(sink.got, c.written) || w.next != c.next {
			t.Errorf("with room for %d bytes %v are written, next %d; want %v, %d", c.waiting, sink.got, w.next, c.written, c.next)
		}
	}
}

// noting is a learner with a map that records the order of offers and writes.
type noting struct {
	appearing
	done *[]string
}

func (n *noting) Offer(context.Context, Events) error {
	*n.done = append(*n.done, "offered")
	return nil
}

// Once there is a map, a message is placed and written first, and then offered once.
func TestPlacesBeforeItOffers(t *testing.T) {
	w, _ := settler(t)
	var done []string
	learner := &noting{done: &done}
	learner.current = &Published{Map: &learner.appearing, Version: 1}
	w.p.Learner, w.p.settings.BatchMessages = learner, 1
	w.p.Decoder = decodes(func(Message) (Events, error) { return nothing{}, nil })
	w.p.Sink, w.atomic, w.standing = &script{look: func() { done = append(done, "written") }}, nil, newWatch()
	w.commits = newCommitter(w.gen, w.p.settings, w.retry)
	w.room, w.held, w.work = NewQueue(1<<20, 1)[0], newBudget(1<<20), newBudget(1<<20)
	if err := w.workThrough(t.Context(), t.Context(), Run{Messages: []Message{{Offset: 7}, {Offset: 8}}, Next: 9}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"written", "offered", "written", "offered"}; !reflect.DeepEqual(done, want) || w.next != 9 || len(w.waiting) != 0 {
		t.Errorf("%v, want %v; next %d, %d wait", done, want, w.next, len(w.waiting))
	}
}
