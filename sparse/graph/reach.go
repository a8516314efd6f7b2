package graph

import (
	"slices"
	"sync"

	"unfold/internal/par"
	"unfold/sparse/knn"
)

// MutualReach reports which edges of K are mutually reachable in at most core steps. Element i*K+p
// is true if R_ij R_ji > 0 for the p-th neighbour j of point i, with R = K + K^2 + ... + K^core
// (Saul 2020, eq 23). As K_ij = 1 makes R_ij positive, this only needs a directed walk from j to i.
//
// It costs a breadth-first search from every point, with at most K^core steps each.
func MutualReach(nb *knn.Neighbors, core, threads int) []bool {
	mutual := make([]bool, nb.N*nb.K)
	start, in := nb.InEdges()
	walkers := sync.Pool{New: func() any { return newWalker(nb) }}
	par.Ranges(threads, nb.N, 1024, func(_, from, to int) {
		w := walkers.Get().(*walker)
		for j := from; j < to; j++ {
			ends := in[start[j]:start[j+1]]
			if len(ends) == 0 {
				continue
			}
			if core == 1 {
				back, _ := nb.Row(j)
				for _, e := range ends {
					mutual[e] = slices.Contains(back, int32(e/nb.K))
				}
				continue
			}
			w.walk(int32(j), core)
			for _, e := range ends {
				mutual[e] = w.seen[e/nb.K] == int32(j)
			}
		}
		walkers.Put(w)
	})
	return mutual
}

// walker runs breadth-first searches over the neighbour lists.
type walker struct {
	nb *knn.Neighbors
	// seen[i] is the last point from which i was reached, or -1.
	seen  []int32
	queue []int32
}

func newWalker(nb *knn.Neighbors) *walker {
	w := &walker{nb: nb, seen: make([]int32, nb.N)}
	for i := range w.seen {
		w.seen[i] = -1
	}
	return w
}

// walk sets seen to j for all points that j reaches in 1..steps steps. It also marks j itself,
// which no edge of K depends on.
func (w *walker) walk(j int32, steps int) {
	w.seen[j] = j
	w.queue = append(w.queue[:0], j)
	done := 0
	for range steps {
		end := len(w.queue)
		if done == end {
			return
		}
		for ; done < end; done++ {
			index, _ := w.nb.Row(int(w.queue[done]))
			for _, to := range index {
				if w.seen[to] != j {
					w.seen[to] = j
					w.queue = append(w.queue, to)
				}
			}
		}
	}
}
