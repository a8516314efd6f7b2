package ingest

import (
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// Batch is a run of events that have become vectors.
type Batch struct {
	// X holds the encoded vectors, n x dim, before any PCA.
	X vec.Matrix[float32]
	// ID holds the events' ids as they came, or no values if none was named.
	ID table.Column
	// Kept are the columns that pass through, with their types.
	Kept []table.Column
	// Label holds the label column's values as text if one was named (it may
	// also be among Kept); a missing label is "".
	Label []string
	// Blank is the number of rows without a direction, which the metrics cosine and correlation lay
	// at distance 1 from all others.
	Blank int
	// Origin says where row 0 came from.
	Origin table.Origin
}

// Len returns the number of events.
func (b *Batch) Len() int { return b.X.Rows }
