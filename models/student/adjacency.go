package student

import (
	"slices"
	"sync/atomic"

	"unfold/internal/par"
	"unfold/sparse"
	"unfold/sparse/knn"
)

// adjacency are the directed edges of a point set. A near edge leads to each of the first
// neighbours of a point's list. Further edges lead to more distant points.
//
// The weights of a pair are computed on demand from the lists of both points, because a list of all
// edges would take more memory than the weights that are computed from it.
type adjacency struct {
	nb, further *knn.Neighbors // further may be nil
	near        edgeWeights    // of near edges, by rank in the list
	scale       lengths
}

// first returns the targets of the near edges of point i.
func (e *adjacency) first(i int32) []int32 {
	to, _ := e.nb.Row(int(i))
	return to[:len(e.near.rank)]
}

// beyond returns the targets of the further edges of point i. The target is i itself where a
// further edge is missing.
func (e *adjacency) beyond(i int32) []int32 {
	if e.further == nil {
		return nil
	}
	to, _ := e.further.Row(int(i))
	return to
}

// leads reports whether an edge leads from i to j.
func (e *adjacency) leads(i, j int32) bool {
	return slices.Contains(e.first(i), j) || slices.Contains(e.beyond(i), j)
}

// partners returns the targets of all edges of i in ascending order without duplicates. It reuses
// the memory of out.
func (e *adjacency) partners(out []int32, i int32) []int32 {
	out = append(append(out[:0], e.first(i)...), e.beyond(i)...)
	slices.Sort(out)
	out = slices.Compact(out)
	if at, is := slices.BinarySearch(out, i); is {
		out = slices.Delete(out, at, at+1)
	}
	return out
}

// pattern returns a matrix without values that has an entry (i, j) if an edge leads from i to j or
// from j to i.
func (e *adjacency) pattern(threads int) *sparse.CSR {
	n := e.nb.N
	c := &sparse.CSR{N: n, M: n, Start: make([]int, n+1)}
	each := func(entry func(i, j int32)) {
		par.Ranges(threads, n, rowPiece, func(_, from, to int) {
			var partners []int32
			for i := int32(from); i < int32(to); i++ {
				partners = e.partners(partners, i)
				for _, j := range partners {
					entry(i, j)
					if !e.leads(j, i) {
						entry(j, i)
					}
				}
			}
		})
	}
	// Each goroutine also fills rows of other goroutines, so entries are in any order. The order of
	// columns is restored at the end.
	size := make([]int32, n)
	each(func(i, _ int32) { atomic.AddInt32(&size[i], 1) })
	for i, s := range size {
		c.Start[i+1] = c.Start[i] + int(s)
	}
	c.Index = make([]int32, c.Start[n])
	clear(size)
	each(func(i, j int32) {
		c.Index[c.Start[i]+int(atomic.AddInt32(&size[i], 1))-1] = j
	})
	par.Ranges(threads, n, rowPiece, func(_, from, to int) {
		for i := from; i < to; i++ {
			slices.Sort(c.Index[c.Start[i]:c.Start[i+1]])
		}
	})
	return c
}

// pair returns the weights of the edges between two points i < j, and their squared length scale.
// The scale is that of the last edge in the order near, further, i, j.
func (e *adjacency) pair(i, j int32) (w pairWeight, delta2 float64) {
	for _, way := range [2][2]int32{{i, j}, {j, i}} {
		to, dist2 := e.nb.Row(int(way[0]))
		to = to[:len(e.near.rank)]
		for q, v := range to {
			if v == way[1] {
				w.near += e.near.edge(way[0], to, q)
				delta2 = e.scale.pair(way[0], v, dist2[q])
			}
		}
	}
	if e.further == nil {
		return w, delta2
	}
	for _, way := range [2][2]int32{{i, j}, {j, i}} {
		to, dist2 := e.further.Row(int(way[0]))
		for q, v := range to {
			if v == way[1] {
				w.further++
				delta2 = e.scale.pair(way[0], v, dist2[q])
			}
		}
	}
	return w, delta2
}
