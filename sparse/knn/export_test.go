package knn

import (
	"context"

	"unfold/internal/simd"
	"unfold/internal/simd/codes"
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
	if c := e.codes; c != nil {
		c.p.chunk = panels
	}
	return e
}

// anyCoded returns rows as codes up to the largest, at any size and level, or nil if they cannot be
// coded.
func anyCoded[T vec.Float](x vec.Matrix[T], level simd.Level, largest int) *coded {
	c, _ := newTrial(x, level).best(largest)
	if c == nil || x.Cols > codes.MaxDim {
		return nil
	}
	return packCodes(c, x, nil, level, 1)
}

// NewExactCoded is NewExact by codes up to the largest for any rows that can be coded.
func NewExactCoded(x vec.Matrix[float32], largest int) *Exact {
	e := NewExact(x)
	if e.bad == nil && e.bits == nil && x.Cols > 0 && x.Rows > 0 {
		e.codes = nil
		if p := anyCoded(x, simd.Best(), largest); p != nil {
			e.codes = e.asCodes(p)
		}
	}
	return e
}

// CodedGraph is Graph by codes at a level, with blocks of the given number of panels. It returns nil
// if the rows cannot be coded.
func CodedGraph[T vec.Float](x vec.Matrix[T], level simd.Level, largest, k, size int) (*Neighbors, error) {
	p := anyCoded(x, level, largest)
	if p == nil {
		return nil, nil
	}
	p = packCodes(&p.coding, x, func() []int32 { return Order(x, size*codes.Width, 1) }, level, 2)
	return newGraphSearch[T, int32](x, p, k, size).all(context.Background(), Settings{Threads: 2})
}

// CodedUnlike is NearestUnlike by codes, or nil if the rows cannot be coded.
func CodedUnlike[T vec.Float](x vec.Matrix[T], rows, label []int32, largest, k, panels int) (*Neighbors, error) {
	p := anyCoded(x, simd.Best(), largest)
	if p == nil {
		return nil, nil
	}
	p.chunk = panels
	return newUnlike(x, p, codedPool[T](p), rows, label, k).all(context.Background(), Settings{Threads: 1})
}

// NearestUnlikeChunked is NearestUnlike on one thread, starting with the given number of panels.
func NearestUnlikeChunked[T vec.Float](x vec.Matrix[T], rows, label []int32, k, panels int) (*Neighbors, error) {
	if err := checkUnlike(x, rows, label, k, Settings{Threads: 1}); err != nil {
		return nil, err
	}
	p := pack(x, nil, 1)
	p.chunk = panels
	run := newUnlike(x, p, packedPool[T](p), rows, label, k)
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

// MostPass is the largest share of pairs that may pass codes, and CodedShare the share that does,
// for codes up to the largest.
const MostPass = mostPass

func CodedShare(x vec.Matrix[float32], largest int) float64 {
	_, pass := newTrial(x, simd.Best()).best(largest)
	return pass
}

// CodedLargest returns the largest code that rows are compared by at the best level, or 0 if they
// are compared as float32.
func CodedLargest(x vec.Matrix[float32]) int {
	if p := newCoded(x, nil, 1); p != nil {
		return p.largest
	}
	return 0
}
