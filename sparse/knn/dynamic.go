package knn

import (
	"context"

	"unfold/internal/vec"
)

// Dynamic is an Index with insertion and deletion. A row keeps its number until it is deleted.
// Numbers of deleted rows are reused, so numbers may exceed Len. Package knntest has its
// conformance suite.
type Dynamic interface {
	Index
	// Insert adds copies of the rows of x and returns their numbers. With an error, it returns the
	// numbers of the rows that were added.
	Insert(ctx context.Context, x vec.Matrix[float32], s Settings) ([]int32, error)
	// Delete removes all of the given rows or, with an error, none.
	Delete(rows []int32, s Settings) error
	// Has reports whether a row with that number exists.
	Has(row int32) bool
	// Bytes returns the memory of the index in bytes.
	Bytes() int64
}
