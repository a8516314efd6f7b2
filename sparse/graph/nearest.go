package graph

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// mostTies is the maximum number of points at the distance of the k-th nearest that are examined.
// Without a limit, the time for a point that thousands share an edge with would grow with the
// square of their number.
const mostTies = 1000

// nearestPiece is the number of searches of one task.
const nearestPiece = 64

// Nearest returns the k nearest other points of each point by the lengths of shortest paths; the
// lists have squared lengths. Points at the same distance are ordered by the similarity of their
// neighbourhoods (share), and then by a hash of both points. Ordering them by number would make all
// points prefer one side of the graph. It returns an error if fewer than k points can be reached
// from a point, or if ctx ends.
func (p *Paths) Nearest(ctx context.Context, k int, s knn.Settings) (*knn.Neighbors, error) {
	return p.lists(ctx, p.Len(), k, s, func(w *walk, i int) ([]int32, int32) {
		w.dist[i] = 0 // no path returns to it
		w.touched = append(w.touched, int32(i))
		from, to := p.start[i], p.start[i+1]
		for e, j := range p.to[from:to] {
			w.reach(j, p.along[from+e])
		}
		return p.to[from:to], int32(i)
	})
}

// lists returns the lists of n searches. begin starts search i and returns the neighbours of its
// point and the point's key in hashes.
func (p *Paths) lists(ctx context.Context, n, k int, s knn.Settings, begin func(w *walk, i int) (near []int32, key int32)) (*knn.Neighbors, error) {
	out := knn.NewNeighbors(n, k)
	short := make([]int, par.Pieces(n, nearestPiece))
	count := par.NewProgress(len(short), s.Progress)
	var lender par.Lender[walk]
	par.Ranges(s.Threads, n, nearestPiece, func(piece, from, to int) {
		w := lender.Get()
		defer lender.Put(w)
		w.fit(p.Len())
		for i := from; i < to && ctx.Err() == nil; i++ {
			w.clear()
			near, key := begin(w, i)
			p.walk(w, k)
			w.order(p, near, key)
			if len(w.found) < k {
				short[piece] = i + 1
				return
			}
			index, dist2 := out.Row(i)
			for q, e := range w.found[:k] {
				index[q], dist2[q] = e.at, e.dist*e.dist
			}
		}
		count.Step()
	})
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("graph: stopped: %w", err)
	}
	for _, i := range short {
		if i > 0 {
			return nil, fmt.Errorf("graph: fewer than %d points can be reached from point %d", k, i-1)
		}
	}
	return out, nil
}

// walk is the workspace of a search for near points, for one goroutine.
type walk struct {
	Frontier
	dist    []float64 // +Inf where no path has led yet
	touched []int32
	found   []near
	mark    []bool
}

// near is a point that was found, with the similarity of its neighbourhood and its hash.
type near struct {
	end
	share float64
	hash  uint64
}

func (w *walk) fit(n int) {
	if len(w.dist) == n {
		return
	}
	w.dist, w.mark = make([]float64, n), make([]bool, n)
	for i := range w.dist {
		w.dist[i] = math.Inf(1)
	}
}

// clear resets the state of a search.
func (w *walk) clear() {
	for _, i := range w.touched {
		w.dist[i] = math.Inf(1)
	}
	w.touched, w.found, w.heap = w.touched[:0], w.found[:0], w.heap[:0]
}

// reach notes a path to a point.
func (w *walk) reach(i int32, dist float64) {
	if dist >= w.dist[i] {
		return
	}
	if math.IsInf(w.dist[i], 1) {
		w.touched = append(w.touched, i)
	}
	w.dist[i] = dist
	w.push(end{dist, i})
}

// walk continues until the k nearest points and those at the distance of the last are found
// (Dijkstra 1959).
func (p *Paths) walk(w *walk, k int) {
	last := math.Inf(1)
	for len(w.heap) > 0 && len(w.found) < k+mostTies {
		here := w.pop()
		if here.dist > w.dist[here.at] {
			continue
		}
		if here.dist > last {
			return
		}
		if w.found = append(w.found, near{end: here}); len(w.found) == k {
			last = here.dist
		}
		from, to := p.start[here.at], p.start[here.at+1]
		along := p.along[from:to]
		for e, j := range p.to[from:to] {
			if d := here.dist + along[e]; d <= last {
				w.reach(j, d)
			}
		}
	}
}

// order sorts the points found from a point with the given neighbours.
func (w *walk) order(p *Paths, neighbors []int32, key int32) {
	for _, j := range neighbors {
		w.mark[j] = true
	}
	for q := range w.found {
		e := &w.found[q]
		if q > 0 && w.found[q-1].dist == e.dist || q+1 < len(w.found) && w.found[q+1].dist == e.dist {
			e.share = w.share(p.to[p.start[e.at]:p.start[e.at+1]], e.at, len(neighbors))
			e.hash = mix(uint64(key)<<32 | uint64(e.at))
		}
	}
	for _, j := range neighbors {
		w.mark[j] = false
	}
	slices.SortFunc(w.found, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.dist, b.dist), cmp.Compare(b.share, a.share), cmp.Compare(a.hash, b.hash), cmp.Compare(a.at, b.at))
	})
}

// mix spreads the bits of a number (the finalizer of splitmix64; Steele et al. 2014).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// share returns the similarity of the neighbourhoods of two points, i with the marked neighbours,
// and j; each neighbourhood includes the point itself (Jaccard's index; neighbours of near points
// by Jarvis and Patrick 1973):
//
//	|N(i) and N(j)| / |N(i) or N(j)|,  N(i) = {i} and all that an edge joins to i.
func (w *walk) share(neighbors []int32, j int32, others int) float64 {
	both := 0
	for _, o := range neighbors {
		if w.mark[o] {
			both++
		}
	}
	if w.mark[j] { // an edge joins them: i is in N(j), too
		both += 2
	}
	return float64(both) / float64(others+1+len(neighbors)+1-both)
}

// Index finds the points of a graph that are nearest to new points. A new point is a row of
// weights: element j is the weight of the edge to point j, 0 for none. It is a knn.Index and safe
// for concurrent use.
type Index struct {
	paths   *Paths
	weights Weights
}

// NewIndex returns that of a graph.
func NewIndex(p *Paths, w Weights) *Index { return &Index{p, w} }

func (x *Index) Len() int { return x.paths.Len() }
func (x *Index) Dim() int { return x.paths.Len() }

// Search returns the k nearest points for the rows of q, as Paths.Nearest does for the points of
// the graph. It returns an error if a row has no edge, or a weight that is not positive.
func (x *Index) Search(ctx context.Context, q vec.Matrix[float32], k int, s knn.Settings) (*knn.Neighbors, error) {
	if q.Cols != x.Dim() || k < 1 || k > x.Len() {
		return nil, fmt.Errorf("graph: %d nearest of %d points for rows of %d weights", k, x.Len(), q.Cols)
	}
	for i := range q.Rows {
		some := false
		for j, v := range q.Row(i) {
			if v == 0 {
				continue
			}
			some = true
			if err := x.weights.Check(float64(v)); err != nil {
				return nil, fmt.Errorf("graph: row %d, edge to point %d: %w", i, j, err)
			}
		}
		if !some {
			return nil, fmt.Errorf("graph: row %d has no edge to a point", i)
		}
	}
	return x.paths.lists(ctx, q.Rows, k, s, func(w *walk, i int) ([]int32, int32) {
		var to []int32
		for j, v := range q.Row(i) {
			if v != 0 {
				w.reach(int32(j), x.weights.length(float64(v)))
				to = append(to, int32(j))
			}
		}
		return to, to[0]
	})
}
