package graph

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse"
	"unfold/sparse/knn"
)

// Connected returns the edges of the symmetrised nearest neighbour lists of the rows of x, followed
// by the shortest edges that join their components, as Build adds them. It returns an error if the
// lists do not match x, or if ctx ends.
func Connected[T vec.Float](ctx context.Context, x vec.Matrix[T], nb *knn.Neighbors, threads int) ([]Edge, error) {
	if err := checkLists(x.Rows, nb); err != nil {
		return nil, err
	}
	edges, _ := Symmetrize(nb)
	label, size := Label(nb)
	bridges, err := connect(ctx, x, nb, label, size, Settings{Threads: threads})
	if err != nil {
		return nil, err
	}
	for _, b := range bridges {
		edges = append(edges, b.edge())
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("graph: stopped: %w", err)
	}
	return edges, nil
}

// Paths computes shortest paths in an undirected graph. The edges of point i lead to
// to[start[i]:start[i+1]]. It is safe for concurrent use.
type Paths struct {
	start []int
	to    []int32
	along []float64
}

// NewPaths returns the Paths of n points with the given edges.
func NewPaths(n int, edges []Edge) *Paths {
	p := &Paths{start: make([]int, n+1), to: make([]int32, 2*len(edges)), along: make([]float64, 2*len(edges))}
	for _, e := range edges {
		p.start[e.I+1]++
		p.start[e.J+1]++
	}
	for i := range n {
		p.start[i+1] += p.start[i]
	}
	next := append([]int(nil), p.start[:n]...)
	for _, e := range edges {
		length := math.Sqrt(e.Dist2)
		p.to[next[e.I]], p.along[next[e.I]] = e.J, length
		p.to[next[e.J]], p.along[next[e.J]] = e.I, length
		next[e.I]++
		next[e.J]++
	}
	return p
}

// Frontier is the workspace of a search, for one goroutine: a four-ary heap of ends of paths. The
// zero value works.
type Frontier struct{ heap []end }

// end is the end of a path that may be the shortest to that point.
type end struct {
	dist float64
	at   int32
}

// PathsOf returns the Paths of a graph with the given edge lengths (n x n, symmetric). It shares
// their memory.
func PathsOf(lengths *sparse.CSR) *Paths {
	return &Paths{start: lengths.Start, to: lengths.Index, along: lengths.Data}
}

// Len is the number of points.
func (p *Paths) Len() int { return len(p.start) - 1 }

// Longest returns the length of the longest edge, 0 if there is none.
func (p *Paths) Longest() float64 {
	longest := 0.0
	for _, l := range p.along {
		longest = max(longest, l)
	}
	return longest
}

// From sets dist (n) to the lengths of the shortest paths from a point, +Inf where there is none
// (Dijkstra 1959). A point may be in the heap more than once; all but its first removal are
// skipped, which costs less than moving it up.
func (p *Paths) From(source int, dist []float64, f *Frontier) {
	for i := range dist {
		dist[i] = math.Inf(1)
	}
	dist[source] = 0
	f.heap = append(f.heap[:0], end{at: int32(source)})
	for len(f.heap) > 0 {
		here := f.pop()
		if here.dist > dist[here.at] {
			continue
		}
		from, to := p.start[here.at], p.start[here.at+1]
		along := p.along[from:to]
		for e, j := range p.to[from:to] {
			if d := here.dist + along[e]; d < dist[j] {
				dist[j] = d
				f.push(end{d, j})
			}
		}
	}
}

// FromEach searches from each source. It calls found with the index of the source and the lengths
// from it (n), which are only valid during the call. Calls are concurrent; each goroutine handles
// 16 consecutive sources.
func (p *Paths) FromEach(ctx context.Context, sources []int32, threads int, found func(number int, dist []float64)) error {
	type search struct {
		Frontier
		dist []float64
	}
	var searches par.Lender[search]
	par.Ranges(threads, len(sources), 16, func(_, from, to int) {
		s := searches.Get()
		defer searches.Put(s)
		if s.dist == nil {
			s.dist = make([]float64, p.Len())
		}
		for j := from; j < to && ctx.Err() == nil; j++ {
			p.From(int(sources[j]), s.dist, &s.Frontier)
			found(j, s.dist)
		}
	})
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("graph: stopped: %w", err)
	}
	return nil
}

// push adds an end.
func (f *Frontier) push(e end) {
	f.heap = append(f.heap, e)
	h, at := f.heap, len(f.heap)-1
	for at > 0 {
		parent := (at - 1) / 4
		if h[parent].dist <= e.dist {
			break
		}
		h[at] = h[parent]
		at = parent
	}
	h[at] = e
}

// pop removes the nearest end.
func (f *Frontier) pop() end {
	first, last := f.heap[0], len(f.heap)-1
	e := f.heap[last]
	f.heap = f.heap[:last]
	h, at := f.heap, 0
	if last == 0 {
		return first
	}
	for {
		child := 4*at + 1
		if child >= last {
			break
		}
		least := child
		for c := child + 1; c < min(child+4, last); c++ {
			if h[c].dist < h[least].dist {
				least = c
			}
		}
		if e.dist <= h[least].dist {
			break
		}
		h[at] = h[least]
		at = least
	}
	h[at] = e
	return first
}
