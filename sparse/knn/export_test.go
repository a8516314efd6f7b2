package knn

import (
	"context"

	"unfold/internal/simd"
	"unfold/internal/vec"
	"unfold/sparse"
	"unfold/sparse/distance"
)

// NewExactSketched is NewExact with a sketch for any number of rows.
func NewExactSketched(x vec.Matrix[float32]) *Exact { return newExact(distance.Euclidean, x, 1) }

// NewExactChunked is NewExact with searches that start with the given number of panels.
func NewExactChunked(x vec.Matrix[float32], panels int) *Exact {
	e := NewExact(x)
	if f := e.floats.Load(); f != nil {
		f.p.chunk = panels
	}
	return e
}

// NearestUnlikeChunked is NearestUnlike on one thread, starting with the given number of panels.
func NearestUnlikeChunked[T vec.Float](x vec.Matrix[T], rows, label []int32, k, panels int) (*Neighbors, error) {
	if err := checkUnlike(x, rows, label, k, Settings{Threads: 1}); err != nil {
		return nil, err
	}
	run := newUnlike(x, rows, label, k, 1)
	run.p.chunk = panels
	return run.all(context.Background(), Settings{Threads: 1})
}

var InvertedBy = invertedBy

// BitGraphAt is Graph of binary rows with the instructions of the given level.
func BitGraphAt(x vec.Matrix[float32], level simd.Level, k int, s Settings) (*Neighbors, error) {
	b := newBitRows(distance.Euclidean, x, s.Threads)
	b.level = level
	return bitGraph(context.Background(), b, k, s)
}

// InvertedBounds returns the upper bounds of half the k-th least squared distance of every row.
func InvertedBounds(a *sparse.Rows, k int) ([]float64, error) {
	g, err := newInverted(a, k)
	if err != nil {
		return nil, err
	}
	g.columns = a.Columns(0, a.N())
	bounds := make([]float64, a.N())
	for i := range bounds {
		w := &invertedWork{products: make([]float64, a.N())}
		g.multiply(i, w.products)
		bounds[i] = g.bound(i, w)
	}
	return bounds, nil
}
