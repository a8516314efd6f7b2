package learn

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/ingest/emit"
	"unfold/internal/vec"
	"unfold/stream"
)

// noticing is a watcher that records which map was in use when it was notified of the next one.
type noticing struct {
	current func() *stream.Published
	before  []uint64
	maps    []uint64
}

func (w *noticing) NewMap(p *stream.Published) {
	v := uint64(0)
	if w.current != nil && w.current() != nil {
		v = w.current().Version
	}
	w.before, w.maps = append(w.before, v), append(w.maps, p.Version)
}

func (w *noticing) Placed(*emit.Output, vec.Matrix[float32], stream.Position) {}
func (w *noticing) Emptied()                                                  {}
func (w *noticing) Gone(string)                                               {}

// A watcher gets every map before events are placed on it: of a learner, of one that goes on from a
// state, and of an embedder.
func TestWatcherKnowsTheMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(56, 1))
	w := &noticing{}
	s := quick()
	s.State, s.Watch = t.TempDir(), w
	l := newLearner(t, s)
	w.current = l.Current
	stop := running(t, l)
	for offset := range int64(6) {
		offer(t, l, message(t, rng, 10, 5, offset))
	}
	waitReady(t, l)
	stop()
	offer(t, l, message(t, rng, 10, 5, 6))
	if err := l.refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(w.maps, []uint64{1, 2}) || !slices.Equal(w.before, []uint64{0, 1}) {
		t.Errorf("it hears of versions %v while %v are in use", w.maps, w.before)
	}
	w.current = nil
	newLearner(t, s)
	if !slices.Equal(w.maps, []uint64{1, 2, 2}) {
		t.Errorf("after a start it has heard of %v", w.maps)
	}
	again := &noticing{}
	s.Watch = again
	e, f := newEmbedder(t, s)
	again.current = e.Current
	if err := f.give(t, l.Snapshot()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.maps, []uint64{2}) || !slices.Equal(again.before, []uint64{0}) {
		t.Errorf("beside an embedder it hears of versions %v while %v are in use", again.maps, again.before)
	}
}
