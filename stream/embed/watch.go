package embed

import (
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/internal/vec"
	"unfold/stream"
)

// Watcher receives the events that a Map places, for display. All placing goroutines call it, so it
// must be fast. It may receive a message again.
type Watcher interface {
	// NewMap means that events may be placed on p from now on. It is called for one map after the
	// other, and returns before the first event is placed on p, so that a watcher knows the map of
	// every event. Events in progress are still placed on earlier maps.
	NewMap(p *stream.Published)
	// Placed means that the events of the message at from, with vectors x (n x dim), have the
	// positions in o, on the map that o names. Neither may be changed.
	Placed(o *emit.Output, x vec.Matrix[float32], from stream.Position)
	// Gone means that the event with this id is deleted.
	Gone(id string)
	// Emptied: all events are no more.
	Emptied()
}

// watch calls a watcher with the rows of a message.
func (m *Map) watch(r *rows, from stream.Position) {
	if m.set.Watch != nil {
		m.set.Watch.Placed(r.placed.shown(r.batch, r.first, r.first+r.batch.Len()), r.batch.X, from)
	}
}

// shown is Output with the columns that are for display: the entropy of classes whether or not it is
// written, and not the probabilities of all classes, which would be most of what a display keeps.
func (p *Places) shown(b *ingest.Batch, from, to int) *emit.Output {
	o := p.Output(b, from, to)
	if o.ClassShares = nil; p.classes != nil {
		o.ClassEntropy = p.classes.Entropy[from:to]
	}
	return o
}
