package learn

import (
	"unfold/ingest"
	"unfold/stream/reference"
)

// addTo shows the events of a batch, and their classes if they have any, to a
// reference set.
func addTo(ref *reference.Set, b *ingest.Batch, at int64, classes []int32) {
	for i := range b.Len() {
		id := ""
		if b.ID.Valid() {
			id = b.ID.Text(i)
		}
		if p := ref.Add(b.X.Row(i), id, at); p >= 0 && classes != nil && classes[i] != noClass {
			setClass(ref, p, classes[i])
		}
	}
}
