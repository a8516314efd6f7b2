package clusters

import (
	"slices"

	"unfold/internal/par"
	"unfold/sparse/graph"
)

// manyAsked is of how many points a part gets a bridge before all of them are searched for.
const manyAsked = 64

// bridge returns a short edge between two groups of points, from the first of a on by going to
// the nearest point on the other side as long as that is nearer. It need not be the shortest.
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

// nearest returns the shortest edge from a point to one of others, the first of equal ones,
// and its other end.
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

// bridges returns edges from parts of many asks to what is around them, where these are shorter
// than the tree has. Without them a search may find most pairs of two large groups.
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
