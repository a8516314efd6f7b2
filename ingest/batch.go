package ingest

import (
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// Batch contains encoded events.
type Batch struct {
	// X are the encoded vectors, n x dim, before any PCA.
	X vec.Matrix[float32]
	// ID are the events' ids as in the input, without values if no id column was named.
	ID table.Column
	// Kept are the columns that are passed on, with their types.
	Kept []table.Column
	// Label are the values of the label column as text, if one was named. It may also be in Kept. A
	// missing label is "".
	Label []string
	// Blank is the number of rows without a direction. The metrics cosine and correlation give them
	// distance 1 to all others.
	Blank int
	// Origin is the origin of row 0.
	Origin table.Origin
}

// Len returns the number of events.
func (b *Batch) Len() int { return b.X.Rows }
