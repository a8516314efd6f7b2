package embed

import (
	"slices"

	"unfold/ingest"
	"unfold/stream"
)

// earlier has the vectors of the current batch by id. The learner does not know them yet, but a
// later event of the batch may need the vector of an earlier one. Without such an event it is empty.
type earlier struct {
	before  Known
	needed  bool
	emptied bool
	vectors map[string][]float32 // nil of those that are gone
}

func newEarlier(in []stream.Events, before Known) *earlier {
	needed := slices.ContainsFunc(in, func(e stream.Events) bool {
		mine, ok := e.(*Events)
		return ok && len(mine.Unchanged) > 0
	})
	return &earlier{before: before, needed: needed, vectors: map[string][]float32{}}
}

// known is the Known for the current event.
func (k *earlier) known(id string) []float32 {
	if x, there := k.vectors[id]; there || k.emptied || k.before == nil {
		return x
	}
	return k.before(id)
}

// came records the events of a batch, gone a deleted event, empty that all are deleted.
func (k *earlier) came(b *ingest.Batch) {
	if !k.needed || !b.ID.Valid() {
		return
	}
	for i := range b.Len() {
		k.vectors[b.ID.Text(i)] = b.X.Row(i)
	}
}

func (k *earlier) gone(id string) { k.vectors[id] = nil }

func (k *earlier) empty() {
	clear(k.vectors)
	k.emptied = true
}
