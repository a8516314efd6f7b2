package clusters

import (
	"slices"

	"unfold/internal/par"
	"unfold/sparse/graph"
)

// manyAsked is the number of points from which a part gets a bridge before all its points are
// searched.
const manyAsked = 64

// bridge returns a short edge between two groups of points, not necessarily the shortest. It starts
// at the first point of a and goes to the nearest point of the other group as long as that shortens
// the edge.
func (l *Live) bridge(a, b []int32) graph.Edge {
	at := a[0]
	best, end := l.nearest(at, b)
	for {
		at = end
		a, b = b, a
		e, other := l.nearest(at, b)
		if e.Dist2 >= best.Dist2 {
			return best
		}
		best, end = e, other
	}
}

// nearest returns the shortest edge from a point to one of others, and its other end. The first of
// equal edges counts.
func (l *Live) nearest(slot int32, others []int32) (graph.Edge, int32) {
	pieces := make([]graph.Edge, par.Pieces(len(others), measureTogether))
	par.Ranges(l.set.Threads, len(others), measureTogether, func(piece, from, to int) {
		best := l.edge(slot, others[from])
		for _, j := range others[from:to] {
			if l.core2[j] >= best.Dist2 {
				continue
			}
			if e := l.edge(slot, j); e.Dist2 < best.Dist2 {
				best = e
			}
		}
		pieces[piece] = best
	})
	best := slices.MinFunc(pieces, shorterFirst)
	if best.I == slot {
		return best, best.J
	}
	return best, best.I
}

// bridges returns edges that connect large parts to their surroundings, if they are shorter than
// those of the tree. Without these bounds, a search may find most pairs of two large groups.
func (l *Live) bridges(asks []asked) (found []graph.Edge) {
	order := l.levels.order
	for from := 0; from < len(asks); {
		a, to := asks[from], from
		for to < len(asks) && asks[to].own == a.own && asks[to].level == a.level {
			to++
		}
		if to-from >= manyAsked {
			others := slices.Concat(order[a.from:a.own.from], order[a.own.to:a.to])
			if e := l.bridge(order[a.own.from:a.own.to], others); e.Dist2 < a.level {
				found = append(found, e)
			}
		}
		from = to
	}
	return found
}
