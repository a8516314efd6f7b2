package knn

import (
	"context"

	"unfold/internal/simd"
	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// NewExactSketched is NewExact with a sketch of even the fewest rows.
func NewExactSketched(x vec.Matrix[float32]) *Exact { return newExact(distance.Euclidean, x, 1) }

// NewExactChunked is NewExact whose searches begin with so many panels.
func NewExactChunked(x vec.Matrix[float32], panels int) *Exact {
	e := NewExact(x)
	if f := e.floats.Load(); f != nil {
		f.p.chunk = panels
	}
	return e
}

// NearestUnlikeChunked is NearestUnlike, on one thread, that begins with so many panels.
func NearestUnlikeChunked[T vec.Float](x vec.Matrix[T], rows, label []int32, k, panels int) (*Neighbors, error) {
	if err := checkUnlike(x, rows, label, k, Settings{Threads: 1}); err != nil {
		return nil, err
	}
	run := newUnlike(x, rows, label, k, 1)
	run.p.chunk = panels
	return run.all(context.Background(), Settings{Threads: 1})
}

var InvertedBy = invertedBy

// BitGraphAt is Graph of rows of 0 and 1 by the instructions of a level.
func BitGraphAt(x vec.Matrix[float32], level simd.Level, k int, s Settings) (*Neighbors, error) {
	b := newBitRows(distance.Euclidean, x, s.Threads)
	b.level = level
	return bitGraph(context.Background(), b, k, s)
}
