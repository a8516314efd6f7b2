package knn

import (
	"context"

	"unfold/internal/vec"
)

// NewExactSketched is NewExact with a sketch of even the fewest rows.
func NewExactSketched(x vec.Matrix[float32]) *Exact { return newExact(x, 1) }

// NewExactChunked is NewExact whose searches begin with so many panels.
func NewExactChunked(x vec.Matrix[float32], panels int) *Exact {
	e := NewExact(x)
	if e.p != nil {
		e.p.chunk = panels
	}
	return e
}

// NearestUnlikeChunked is NearestUnlike, on one thread, that begins with so many panels.
func NearestUnlikeChunked[T vec.Float](x vec.Matrix[T], rows, label []int32, k, panels int) (*Neighbors, error) {
	run, err := newUnlike(x, rows, label, k, 1)
	if err != nil {
		return nil, err
	}
	run.p.chunk = panels
	return run.all(context.Background(), Settings{Threads: 1})
}

var InvertedBy = invertedBy
