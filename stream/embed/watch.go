package embed

import (
	"unfold/ingest/emit"
	"unfold/stream"
)

// Watcher sees what a Map places, for people to look at. It is called by all that place, has
// to be quick, and may see a message again that is placed again.
type Watcher interface {
	// Placed: the events of the message at from are where o says, which must not be changed.
	Placed(o *emit.Output, from stream.Position)
	// Gone: the event of this id is no more.
	Gone(id string)
}

// watch shows a watcher the rows of a message.
func (m *Map) watch(r *rows, from stream.Position) {
	if m.set.Watch != nil {
		m.set.Watch.Placed(r.placed.Output(r.batch, r.first, r.first+r.batch.Len()), from)
	}
}
