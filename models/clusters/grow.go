package clusters

import (
	"context"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/sparse/graph"
)

// grow updates the tree after an insertion. Reachabilities only fell, so the new tree consists of
// old edges, of pairs whose length fell, and of pairs of new points. A pair's length fell if it was
// equal to a core distance that fell; the other point is then nearer and so in the point's list.
// Pairs of new points outside their lists must be searched for.
func (l *Live) grow(ctx context.Context, slots []int32) error {
	l.measure()
	kept, fresh := l.lowered()
	more, rows := l.fell()
	fresh = append(fresh, more...)
	fresh = append(fresh, l.anchors(fresh, slots)...)
	n, top := l.Len(), l.graph.Top()
	l.tree = l.levels.kruskal(kept, fresh, n, top)
	asks := make([]asked, len(rows))
	for r, slot := range rows {
		asks[r] = asked{slot: slot, to: int32(n)}
	}
	return l.search(ctx, asks)
}

// fell returns edges in lists that may be shorter than the tree's: those of new points, and those
// of points whose core distances fell. rows are the points with shorter or new edges outside their
// lists: new points, and points whose lists lost entries to new ones.
func (l *Live) fell() (fresh []graph.Edge, rows []int32) {
	type part struct {
		fresh []graph.Edge
		rows  []int32
	}
	parts := make([]part, par.Pieces(len(l.core2), measureTogether))
	par.Ranges(l.set.Threads, len(l.core2), measureTogether, func(piece, from, to int) {
		var p part
		for i := int32(from); i < int32(to); i++ {
			was2 := l.was2[i]
			if was2 == empty {
				was2 = math.Inf(1)
			}
			if l.core2[i] == empty || l.core2[i] >= was2 {
				continue
			}
			p.fresh = l.spokes(p.fresh, i, was2, nil)
			if known2 := l.knownUpTo(i); known2 < was2 {
				p.rows = append(p.rows, i)
			}
		}
		parts[piece] = p
	})
	for _, p := range parts {
		fresh, rows = append(fresh, p.fresh...), append(rows, p.rows...)
	}
	return fresh, rows
}

// anchors returns an edge to an old point for each group of new points without one. The lists of
// such a group contain only new points.
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
	held, members := make([]bool, len(size)), make([][]int32, len(size))
	for r, g := range label {
		held[g] = held[g] || anchored[r]
		members[g] = append(members[g], slots[r])
	}
	for g, is := range held {
		if !is {
			out = append(out, l.bridge(members[g], l.levels.order))
		}
	}
	return out
}

// lowered returns the edges of the tree whose reachability did not change, in their order, and the
// others with their present length.
func (l *Live) lowered() (kept, fell []graph.Edge) {
	l.kept = l.kept[:0]
	at := func(slot int32, dist2 float64) bool { return l.was2[slot] == dist2 && l.core2[slot] < dist2 }
	for _, e := range l.tree {
		if at(e.I, e.Dist2) || at(e.J, e.Dist2) {
			if now := l.edge(e.I, e.J); now.Dist2 < e.Dist2 {
				fell = append(fell, now)
				continue
			}
		}
		l.kept = append(l.kept, e)
	}
	return l.kept, fell
}

// knownUpTo returns the squared distance up to which a list contains all points.
func (l *Live) knownUpTo(slot int32) float64 {
	index, dist2 := l.graph.Known(slot)
	if len(index) == l.Len()-1 {
		return math.Inf(1)
	}
	return dist2[len(dist2)-1]
}

// reached is a range of positions that are connected to a point below some level.
type reached struct{ from, to int32 }

// spokes appends edges from a point to the points in its list that are shorter than a limit. It
// leaves out points that shorter edges already connect to it, together with the edges of levels,
// and points in the ranges joined. New points have no position in levels.
func (l *Live) spokes(to []graph.Edge, slot int32, limit float64, joined []reached) []graph.Edge {
	index, dist2 := l.graph.Known(slot)
	// Every edge is at least as long as core2, and many are exactly so.
	core2 := l.core2[slot]
	if core2 >= limit {
		return to
	}
	longer := 0
	for p, j := range index {
		if dist2[p] >= limit {
			break
		}
		r2 := max(core2, l.core2[j], dist2[p])
		if r2 > core2 {
			longer++
			continue
		}
		to, joined = l.spoke(to, slot, j, r2, joined)
	}
	if longer == 0 {
		return to
	}
	at := len(to)
	for p, j := range index {
		if dist2[p] >= limit {
			break
		}
		if r2 := max(core2, l.core2[j], dist2[p]); r2 > core2 && r2 < limit && !l.isJoined(j, joined) {
			to = append(to, graph.Edge{I: slot, J: j, Dist2: r2})
		}
	}
	rest := to[at:]
	slices.SortFunc(rest, graph.Edge.Compare)
	to = to[:at] // appended edges overwrite only edges that have been read
	for _, e := range rest {
		to, joined = l.spoke(to, slot, e.J, e.Dist2, joined)
	}
	return to
}

// spoke appends an edge unless its ends are connected, and records the range that it connects.
func (l *Live) spoke(to []graph.Edge, slot, j int32, r2 float64, joined []reached) ([]graph.Edge, []reached) {
	if l.isJoined(j, joined) {
		return to, joined
	}
	to = append(to, graph.Edge{I: min(slot, j), J: max(slot, j), Dist2: r2})
	if l.hasPlace(j) {
		from, end := l.levels.upTo(int(l.levels.place[j]), r2)
		joined = append(joined, reached{int32(from), int32(end)})
	}
	return to, joined
}

// hasPlace reports whether a slot's point has a position in levels, because it was there before the
// change.
func (l *Live) hasPlace(slot int32) bool { return l.was2[slot] != empty }

// isJoined reports whether a slot's position is in one of some ranges.
func (l *Live) isJoined(slot int32, joined []reached) bool {
	if len(joined) == 0 || !l.hasPlace(slot) {
		return false
	}
	at := l.levels.place[slot]
	return slices.ContainsFunc(joined, func(r reached) bool { return r.from <= at && at < r.to })
}
