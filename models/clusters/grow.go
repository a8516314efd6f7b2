package clusters

import (
	"context"
	"math"
	"slices"

	"unfold/sparse/graph"
)

// grow brings the tree up to date with new points. Reachabilities only fell, so that the
// tree is within its old edges, pairs that fell, and pairs of new points. A pair fell if it
// was as long as a core distance that fell: then the other point is nearer to it than that
// was, in its list. Pairs of new points outside of their lists are searched for.
func (l *Live) grow(ctx context.Context, slots []int32) error {
	fell := l.measure()
	was2 := make(map[int32]float64, len(fell))
	for _, c := range fell {
		was2[c.slot] = c.was2
	}
	before := len(l.levels.order)
	isNew := func(slot int32) bool { // a slot that was free may have an old place
		p := slot < int32(len(l.levels.place)) && before > 0
		return !p || int(l.levels.place[slot]) >= before || l.levels.order[l.levels.place[slot]] != slot
	}
	kept, fresh := l.lowered(was2)
	var rows []int32 // whose pairs with all others are looked at
	for _, c := range fell {
		fresh = l.spokes(fresh, c.slot, c.was2, nil, isNew)
		// New points may have pushed old ones out of a list.
		if l.knownUpTo(c.slot) < c.was2 {
			rows = append(rows, c.slot)
		}
	}
	for _, slot := range slots {
		fresh = l.spokes(fresh, slot, math.Inf(1), nil, isNew)
		rows = append(rows, slot)
	}
	n, top := l.Len(), l.graph.Top()
	fresh = append(fresh, l.anchors(fresh, slots)...)
	l.tree = l.levels.kruskal(kept, fresh, n, top)
	asks := make([]asked, 0, len(rows))
	for _, slot := range rows {
		if known2 := l.knownUpTo(slot); !math.IsInf(known2, 1) {
			asks = append(asks, asked{slot: slot, from: 0, to: int32(n)})
		}
	}
	found, err := l.shorter(ctx, asks)
	if err == nil && len(found) > 0 {
		l.tree = l.levels.kruskal(l.tree, found, n, top)
	}
	return err
}

// anchors returns an edge to an old point from each group of new ones that have none: those
// whose lists hold new points alone.
func (l *Live) anchors(fresh []graph.Edge, slots []int32) (out []graph.Edge) {
	group, anchored := graph.NewForest(len(slots)), make([]bool, len(slots))
	for _, e := range fresh {
		i, first := slices.BinarySearch(slots, e.I)
		j, second := slices.BinarySearch(slots, e.J)
		switch {
		case first && second:
			group.Union(int32(i), int32(j))
		case first:
			anchored[i] = true
		case second:
			anchored[j] = true
		}
	}
	label, size := group.Labels()
	held := make([]bool, len(size))
	for r, is := range anchored {
		held[label[r]] = held[label[r]] || is
	}
	for r, g := range label {
		if !held[g] {
			held[g] = true
			out = append(out, l.nearestOld(slots[r]))
		}
	}
	return out
}

// nearestOld returns the shortest edge from a new point to those that levels is about.
func (l *Live) nearestOld(slot int32) graph.Edge {
	best := l.edge(slot, l.levels.order[0])
	for _, j := range l.levels.order[1:] {
		if e := l.edge(slot, j); e.Dist2 < best.Dist2 {
			best = e
		}
	}
	return best
}

// lowered returns the edges of the tree whose reachability stayed, in their order, and the
// others as they are now.
func (l *Live) lowered(was2 map[int32]float64) (kept, fell []graph.Edge) {
	kept = make([]graph.Edge, 0, len(l.tree))
	for _, e := range l.tree {
		a, i := was2[e.I]
		b, j := was2[e.J]
		if i && a == e.Dist2 || j && b == e.Dist2 {
			if now := l.edge(e.I, e.J); now.Dist2 < e.Dist2 {
				fell = append(fell, now)
				continue
			}
		}
		kept = append(kept, e)
	}
	return kept, fell
}

// knownUpTo is the squared distance up to which a list holds all points.
func (l *Live) knownUpTo(slot int32) float64 {
	index, dist2 := l.graph.Known(slot)
	if len(index) == l.Len()-1 {
		return math.Inf(1)
	}
	return dist2[len(dist2)-1]
}

// reached are places that a point is joined with at some level, or below it.
type reached struct{ from, to int32 }

// spokes appends edges from a point to those in its list that are shorter than a limit. It
// leaves out what shorter ones join already, with the edges that levels is about, and points
// of the component that is given. New points have no place in levels.
func (l *Live) spokes(to []graph.Edge, slot int32, limit float64, own []reached, isNew func(int32) bool) []graph.Edge {
	index, dist2 := l.graph.Known(slot)
	from := len(to)
	core2 := l.core2[slot]
	for p, j := range index {
		if dist2[p] >= limit {
			break
		}
		if r2 := max(core2, l.core2[j], dist2[p]); r2 < limit {
			to = append(to, graph.Edge{I: slot, J: j, Dist2: r2})
		}
	}
	all := to[from:]
	slices.SortFunc(all, graph.Edge.Compare)
	to = to[:from]
	joined := own
	for _, e := range all {
		if isNew == nil || !isNew(e.J) {
			at := l.levels.place[e.J]
			if slices.ContainsFunc(joined, func(r reached) bool { return r.from <= at && at < r.to }) {
				continue
			}
			a, b := l.levels.upTo(int(at), e.Dist2)
			joined = append(joined, reached{int32(a), int32(b)})
		}
		to = append(to, graph.Edge{I: min(e.I, e.J), J: max(e.I, e.J), Dist2: e.Dist2})
	}
	return to
}
