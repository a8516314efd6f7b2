package mds

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/par"
	"unfold/internal/simd/dist"
	"unfold/internal/vec"
	"unfold/models/placing"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// ways provides the distances that a map approximates.
type ways interface {
	// landmarks returns the rows that distances are measured from, ascending; rows returns the
	// number of all rows.
	landmarks() []int32
	rows() int
	// between returns the distances between landmarks, m x m, symmetric.
	between() vec.Matrix[float64]
	// from sets out ((to-from) x m) to the distances of rows from..to from the landmarks.
	from(from, to int, out vec.Matrix[float64])
}

// straight are Euclidean distances.
type straight struct {
	x       vec.Matrix[float32]
	marks   []int32
	at      vec.Matrix[float32] // the landmarks' rows
	all     []int32             // 0..m-1
	threads int
}

func newStraight(x vec.Matrix[float32], marks []int32, threads int) *straight {
	w := &straight{x: x, marks: marks, at: vec.Take(x, marks), all: make([]int32, len(marks)), threads: threads}
	for j := range w.all {
		w.all[j] = int32(j)
	}
	return w
}

func (w *straight) landmarks() []int32 { return w.marks }
func (w *straight) rows() int          { return w.x.Rows }

func (w *straight) between() vec.Matrix[float64] {
	m := len(w.marks)
	out := vec.New[float64](m, m)
	par.Ranges(w.threads, m, 16, func(_, from, to int) {
		for i := from; i < to; i++ {
			w.exact(w.at.Row(i), out.Row(i))
		}
	})
	return out
}

// exact sets out (m) to the distances of a vector from the landmarks, in double precision.
func (w *straight) exact(v []float32, out []float64) {
	dist.Exact(out, v, w.at.Data, w.at.Cols, w.all)
	for j, d2 := range out {
		out[j] = math.Sqrt(d2)
	}
}

// Squared distances outside of this range lose digits in single precision.
const leastSquare, mostSquare = 1e-30, 1e30

func (w *straight) from(from, to int, out vec.Matrix[float64]) {
	squares := make([]float32, len(w.marks))
	for i := from; i < to; i++ {
		v, row := w.x.Row(i), out.Row(i-from)
		dist.Rows(squares, v, w.at.Data, w.at.Cols, w.all)
		least, most := squares[0], squares[0]
		for j, d2 := range squares {
			least, most = min(least, d2), max(most, d2)
			row[j] = math.Sqrt(float64(d2))
		}
		if !(least >= leastSquare && most <= mostSquare) {
			w.exact(v, row)
		}
	}
}

// along has lengths of shortest paths in a graph.
type along struct {
	marks []int32
	// lengths (m x n) has the path lengths from each landmark, in units of the longest edge.
	lengths vec.Matrix[float32]
	unit    float64
	delta   vec.Matrix[float64]
}

// newPaths computes path lengths from landmarks in the symmetrised neighbour graph of the rows of
// x, after joining its components.
func newPaths(ctx context.Context, x vec.Matrix[float32], nb *knn.Neighbors, s Settings) (*along, error) {
	k := min(s.Neighbors, x.Rows-1)
	if nb.K < k {
		return nil, fmt.Errorf("mds: lists of %d neighbours, want %d", nb.K, k)
	}
	edges, err := graph.Connected(ctx, x, nb.First(k), s.Threads)
	if err != nil {
		return nil, fmt.Errorf("mds: %w", err)
	}
	w, err := newAlong(ctx, graph.NewPaths(x.Rows, edges), placing.Sample(x.Rows, s.Landmarks, s.Seed), s.Threads)
	if err != nil {
		return nil, fmt.Errorf("mds: %w", err)
	}
	return w, nil
}

// newAlong searches a graph from landmarks.
func newAlong(ctx context.Context, paths *graph.Paths, marks []int32, threads int) (*along, error) {
	m, n := len(marks), paths.Len()
	w := &along{marks: marks, lengths: vec.New[float32](m, n), delta: vec.New[float64](m, m), unit: paths.Longest()}
	if w.unit == 0 {
		w.unit = 1
	}
	err := paths.FromEach(ctx, marks, threads, func(i int, lengths []float64) {
		for j, at := range marks {
			w.delta.Row(i)[j] = lengths[at]
		}
		row := w.lengths.Row(i)
		for j, l := range lengths {
			row[j] = float32(l / w.unit)
		}
	})
	// The lengths of a path in both directions may differ by rounding.
	for i := range m {
		for j := range i {
			v := 0.5 * (w.delta.Row(i)[j] + w.delta.Row(j)[i])
			w.delta.Row(i)[j], w.delta.Row(j)[i] = v, v
		}
	}
	return w, err
}

func (w *along) landmarks() []int32           { return w.marks }
func (w *along) rows() int                    { return w.lengths.Cols }
func (w *along) between() vec.Matrix[float64] { return w.delta }

func (w *along) from(from, to int, out vec.Matrix[float64]) {
	for j := range w.marks {
		for i, l := range w.lengths.Row(j)[from:to] {
			out.Row(i)[j] = w.unit * float64(l)
		}
	}
}
