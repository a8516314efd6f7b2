package embed

import (
	"unfold/ingest/emit"
	"unfold/internal/vec"
	"unfold/stream"
)

// Watcher sees what a Map places, for people to look at. It is called by all that place, has
// to be quick, and may see a message again that is placed again.
type Watcher interface {
	// NewMap: events may be placed on p from now on. It is called for one map after the other, and
	// returns before the first event is placed on p: so a watcher knows the map of every event.
	// Events that are at work are still placed on maps before.
	NewMap(p *stream.Published)
	// Placed: the events of the message at from, whose vectors are x (n x dim), are where o
	// says, on the map that o names. Neither may be changed.
	Placed(o *emit.Output, x vec.Matrix[float32], from stream.Position)
	// Gone: the event of this id is no more.
	Gone(id string)
	// Emptied: all events are no more.
	Emptied()
}

// watch shows a watcher the rows of a message.
func (m *Map) watch(r *rows, from stream.Position) {
	if m.set.Watch != nil {
		m.set.Watch.Placed(r.placed.Output(r.batch, r.first, r.first+r.batch.Len()), r.batch.X, from)
	}
}
