package knn

import (
	"context"

	"unfold/internal/vec"
)

// Dynamic is an Index whose rows come and go. A row keeps its number until it is
// deleted; the numbers of deleted rows are given to later ones, so that numbers may
// be larger than Len. Package knntest has the suite that it passes.
type Dynamic interface {
	Index
	// Insert adds copies of the rows of x and returns their numbers. If it fails,
	// the rows whose numbers it returns were added.
	Insert(ctx context.Context, x vec.Matrix[float32], s Settings) ([]int32, error)
	// Delete removes rows: all of those named or, with an error, none.
	Delete(rows []int32, s Settings) error
	// Has reports whether there is a row of that number.
	Has(row int32) bool
	// Bytes returns how much memory the index holds.
	Bytes() int64
}
