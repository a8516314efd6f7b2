package pca

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// IsomapSettings of Isomap. The zero value works.
type IsomapSettings struct {
	// Neighbors is how many nearest neighbours of a point its paths begin with.
	// Default 9, or all other points if there are fewer.
	Neighbors int
	// Threads bounds the goroutines; 0 means GOMAXPROCS.
	Threads int
	// Seed is where the eigenvectors of more than 256 points begin.
	Seed uint64
}

// Isomap places the rows of x (n x dim), which should be distinct, on a map of q
// dimensions where distances are those along the data (J. Tenenbaum, V. de Silva and
// J. Langford, Science 290, 2000): lengths of shortest paths in the symmetrised graph of
// nearest neighbours, the parts of which are joined by the shortest bridges, and classical
// scaling of these. The result, n x q, has uncorrelated columns of falling variance and
// mean 0. It holds n^2 float64.
func Isomap(ctx context.Context, x vec.Matrix[float32], q int, s IsomapSettings) (vec.Matrix[float64], error) {
	n, none := x.Rows, vec.Matrix[float64]{}
	if s.Neighbors == 0 {
		s.Neighbors = min(9, n-1)
	}
	if q < 1 || q >= n || s.Neighbors < 1 || s.Neighbors >= n {
		return none, models.BadInputf("isomap: %d dimensions and %d neighbours of %d points: want at least 1 of each and fewer than points", q, s.Neighbors, n)
	}
	near, err := knn.Graph(ctx, x, s.Neighbors, knn.Settings{Threads: s.Threads})
	if err != nil {
		return none, fmt.Errorf("isomap: %w", err)
	}
	g, err := graph.Build(ctx, x, near, graph.Settings{Threads: s.Threads})
	if err != nil {
		return none, fmt.Errorf("isomap: %w", err)
	}
	edges, _ := graph.Symmetrize(near)
	roads := newRoads(n, append(edges, g.Bridges...))
	squares := vec.New[float64](n, n)
	par.Ranges(s.Threads, n, 8, func(_, from, to int) {
		w := roads.scratch()
		for i := from; i < to && ctx.Err() == nil; i++ {
			roads.from(i, squares.Row(i), w)
			for j, d := range squares.Row(i) {
				squares.Row(i)[j] = d * d
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return none, err
	}
	return scaling(ctx, squares, q, s)
}

// scaling is classical scaling: of the matrix of squared distances a, which it spoils,
// the q leading eigenvectors of -1/2 J a J, J = 1 - 11'/n, times the roots of their
// eigenvalues.
func scaling(ctx context.Context, a vec.Matrix[float64], q int, s IsomapSettings) (vec.Matrix[float64], error) {
	n := a.Rows
	means, all := make([]float64, n), 0.0
	for i := range n {
		for _, v := range a.Row(i) {
			means[i] += v / float64(n)
		}
		all += means[i] / float64(n)
	}
	for i := range n {
		row := a.Row(i)
		for j, v := range row {
			row[j] = -0.5 * (v - means[i] - means[j] + all)
		}
	}
	// Paths there and back may differ by rounding.
	for i := range n {
		for j := range i {
			v := 0.5 * (a.Row(i)[j] + a.Row(j)[i])
			a.Row(i)[j], a.Row(j)[i] = v, v
		}
	}
	out := vec.New[float64](n, q)
	var p *PCA
	var err error
	if direct(n, q) && n <= maxDense {
		p, err = dense(&covariance{gram: mat.NewSymDense(n, a.Data)}, q)
	} else {
		c := &covariance{x: vec.Matrix[float32]{Cols: n}, full: mat.NewDense(n, n, a.Data), threads: s.Threads}
		p, err = krylov(ctx, c, q, Settings{Threads: s.Threads, Seed: s.Seed, Tolerance: 1e-6})
	}
	if err != nil {
		return out, fmt.Errorf("isomap: %w", err)
	}
	for c := range q {
		// The sign is that of PCA: the entry of largest magnitude is positive.
		v, largest := p.Components.Row(c), float32(0)
		for _, e := range v {
			if math.Abs(float64(e)) > math.Abs(float64(largest)) {
				largest = e
			}
		}
		length := math.Copysign(math.Sqrt(p.Variance[c]), float64(largest))
		for i, e := range v {
			out.Row(i)[c] = length * float64(e)
		}
	}
	return out, nil
}

// roads is an undirected graph with lengths, by points.
type roads struct {
	start  []int
	to     []int32
	length []float64
}

func newRoads(n int, edges []graph.Edge) *roads {
	r := &roads{start: make([]int, n+1), to: make([]int32, 2*len(edges)), length: make([]float64, 2*len(edges))}
	for _, e := range edges {
		r.start[e.I+1]++
		r.start[e.J+1]++
	}
	for i := range n {
		r.start[i+1] += r.start[i]
	}
	next := append([]int(nil), r.start[:n]...)
	for _, e := range edges {
		l := math.Sqrt(e.Dist2)
		r.to[next[e.I]], r.length[next[e.I]] = e.J, l
		r.to[next[e.J]], r.length[next[e.J]] = e.I, l
		next[e.I]++
		next[e.J]++
	}
	return r
}

// frontier is a heap of points by their distances, with the place of each in it, -1
// before and -2 after.
type frontier struct {
	heap  []int32
	where []int32
	dist  []float64
}

func (r *roads) scratch() *frontier { return &frontier{where: make([]int32, len(r.start)-1)} }

// from sets dist to the lengths of the shortest paths from a point (Dijkstra 1959).
func (r *roads) from(source int, dist []float64, f *frontier) {
	for i := range dist {
		dist[i], f.where[i] = math.Inf(1), -1
	}
	f.dist, f.heap = dist, f.heap[:0]
	dist[source] = 0
	f.push(int32(source))
	for len(f.heap) > 0 {
		i := f.pop()
		for e := r.start[i]; e < r.start[i+1]; e++ {
			j, d := r.to[e], dist[i]+r.length[e]
			if d >= dist[j] {
				continue
			}
			dist[j] = d
			if f.where[j] < 0 {
				f.push(j)
			} else {
				f.up(int(f.where[j]))
			}
		}
	}
}

func (f *frontier) push(i int32) {
	f.heap = append(f.heap, i)
	f.where[i] = int32(len(f.heap) - 1)
	f.up(len(f.heap) - 1)
}

// pop removes the nearest point.
func (f *frontier) pop() int32 {
	first, last := f.heap[0], len(f.heap)-1
	f.set(0, f.heap[last])
	f.heap = f.heap[:last]
	f.where[first] = -2
	for at := 0; ; {
		child := 2*at + 1
		if child >= last {
			return first
		}
		if child+1 < last && f.dist[f.heap[child+1]] < f.dist[f.heap[child]] {
			child++
		}
		if f.dist[f.heap[at]] <= f.dist[f.heap[child]] {
			return first
		}
		i := f.heap[at]
		f.set(at, f.heap[child])
		f.set(child, i)
		at = child
	}
}

// up moves the point at a place of the heap to where it belongs.
func (f *frontier) up(at int) {
	for at > 0 {
		parent := (at - 1) / 2
		if f.dist[f.heap[parent]] <= f.dist[f.heap[at]] {
			return
		}
		i := f.heap[at]
		f.set(at, f.heap[parent])
		f.set(parent, i)
		at = parent
	}
}

func (f *frontier) set(at int, i int32) { f.heap[at], f.where[i] = i, int32(at) }
