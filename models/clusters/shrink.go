package clusters

import (
	"cmp"
	"context"
	"slices"

	"unfold/sparse/graph"
)

// shrink brings the tree up to date with the points that went. Reachabilities only rose.
func (l *Live) shrink(ctx context.Context, slots []int32) error {
	rose := l.measure()
	n, top := l.Len(), l.graph.Top()
	before := l.without(slots)
	kept, fresh := make([]graph.Edge, 0, n), []graph.Edge(nil)
	var loose []graph.Edge // edges that rose, as they were
	changed := make(map[int32]bool, len(rose))
	for _, c := range rose {
		changed[c.slot] = true
	}
	for _, e := range before.tree {
		if changed[e.I] || changed[e.J] {
			if now := max(e.Dist2, l.core2[e.I], l.core2[e.J]); now > e.Dist2 {
				loose = append(loose, e)
				e.Dist2 = now
				fresh = append(fresh, e)
				continue
			}
		}
		kept = append(kept, e)
	}
	for _, e := range before.across {
		loose = append(loose, e)
		fresh = append(fresh, l.edge(e.I, e.J))
	}
	l.tree = l.levels.kruskal(kept, fresh, n, top)
	for {
		asks := l.open(loose)
		found, err := l.listed(asks), error(nil)
		if len(found) == 0 {
			if found, err = l.shorter(ctx, l.unknown(asks)); err != nil || len(found) == 0 {
				return err
			}
			l.tree = l.levels.kruskal(l.tree, found, n, top)
			return nil
		}
		l.tree = l.levels.kruskal(l.tree, found, n, top)
	}
}

// survivors is a tree without its points that went.
type survivors struct {
	tree   []graph.Edge // edges between others, ascending by length
	across []graph.Edge // pairs of others in place of ways over those that went
}

// without returns the tree without points: pairs of others are joined by ways whose longest
// edges are as long as they were, as Dist2 has it. A point that goes leaves its neighbours
// joined to the nearest of them.
func (l *Live) without(slots []int32) survivors {
	edges := make(map[int32][]graph.Edge, len(slots)) // of those that went
	for _, slot := range slots {
		edges[slot] = nil
	}
	s := survivors{tree: make([]graph.Edge, 0, len(l.tree))}
	add := func(to []graph.Edge, e graph.Edge) []graph.Edge {
		_, i := edges[e.I]
		_, j := edges[e.J]
		if i {
			edges[e.I] = append(edges[e.I], e)
		}
		if j {
			edges[e.J] = append(edges[e.J], e)
		}
		if i || j {
			return to
		}
		return append(to, e)
	}
	for _, e := range l.tree {
		s.tree = add(s.tree, e)
	}
	done := make(map[int32]bool, len(slots))
	for _, slot := range slots {
		star := edges[slot]
		delete(edges, slot)
		done[slot] = true
		ends := star[:0]
		for _, e := range star {
			if e.I == slot {
				e.I, e.J = e.J, e.I
			}
			if !done[e.I] {
				ends = append(ends, e) // to e.I
			}
		}
		if len(ends) == 0 {
			continue
		}
		first := slices.MinFunc(ends, func(a, b graph.Edge) int {
			return cmp.Or(cmp.Compare(a.Dist2, b.Dist2), cmp.Compare(a.I, b.I))
		}).I
		for _, e := range ends {
			if e.I != first {
				s.across = add(s.across, graph.Edge{I: min(first, e.I), J: max(first, e.I), Dist2: e.Dist2})
			}
		}
	}
	return s
}

// open returns the points that may have shorter edges than the tree has, given the edges that
// rose, as they were. Where these lie in components that the tree joins at a higher level than
// they did, a shorter edge may join them; all points but those of the largest component are
// asked for it.
func (l *Live) open(loose []graph.Edge) []asked {
	type node struct {
		from, to int
	}
	v := &l.levels
	seen := make(map[node]float64)
	var asks []asked
	for _, e := range loose {
		level := v.pathMost(e.I, e.J)
		if level <= e.Dist2 {
			continue
		}
		from, to := v.upTo(int(v.place[e.I]), level)
		if _, ok := seen[node{from, to}]; ok {
			continue
		}
		seen[node{from, to}] = level
		largest, size := 0, 0
		for a := from; a < to; {
			b := v.after(a, level)
			if b-a > size {
				largest, size = a, b-a
			}
			a = b
		}
		for a := from; a < to; {
			b := v.after(a, level)
			for k := a; k < b && a != largest; k++ {
				if slot := v.order[k]; l.core2[slot] < level {
					asks = append(asks, asked{slot: slot, level: level, from: int32(from), to: int32(to), own: reached{int32(a), int32(b)}})
				}
			}
			a = b
		}
	}
	return asks
}

// listed returns edges in the lists of points that are shorter than the tree's.
func (l *Live) listed(asks []asked) (found []graph.Edge) {
	for _, a := range asks {
		found = l.spokes(found, a.slot, a.level, []reached{a.own}, nil)
	}
	return found
}

// unknown returns those asks that lists do not answer.
func (l *Live) unknown(asks []asked) []asked {
	return slices.DeleteFunc(asks, func(a asked) bool { return l.knownUpTo(a.slot) >= a.level })
}
