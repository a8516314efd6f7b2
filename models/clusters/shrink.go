package clusters

import (
	"context"
	"slices"

	"unfold/sparse/graph"
)

// shrink brings the tree up to date with the points that went. Reachabilities only rose.
func (l *Live) shrink(ctx context.Context, slots []int32) error {
	l.measure()
	n, top := l.Len(), l.graph.Top()
	tree, across := l.without(slots)
	kept := tree[:0]
	var fresh, loose []graph.Edge // edges that rose, as they are and as they were
	for _, e := range tree {
		if now := max(l.core2[e.I], l.core2[e.J]); now > e.Dist2 {
			loose = append(loose, e)
			e.Dist2 = now
			fresh = append(fresh, e)
			continue
		}
		kept = append(kept, e)
	}
	for _, e := range across {
		loose = append(loose, e)
		fresh = append(fresh, l.edge(e.I, e.J))
	}
	l.tree = l.levels.kruskal(kept, fresh, n, top)
	for {
		asks := l.open(loose)
		found := l.listed(asks)
		if len(found) == 0 {
			return l.search(ctx, l.unknown(asks))
		}
		l.tree = l.levels.kruskal(l.tree, found, n, top)
	}
}

// search takes into the tree what is shorter than it has, among the pairs of points asked
// for that are in no list.
func (l *Live) search(ctx context.Context, asks []asked) error {
	if l.set.Recall < 1 {
		return nil
	}
	found, err := l.shorter(ctx, asks)
	if err == nil && len(found) > 0 {
		l.tree = l.levels.kruskal(l.tree, found, l.Len(), l.graph.Top())
	}
	return err
}

// without returns the tree without points: pairs of others are joined by ways whose longest
// edges are as long as they were, as Dist2 has it. A point that goes leaves its neighbours
// joined to the nearest of them.
func (l *Live) without(slots []int32) (tree, across []graph.Edge) {
	stars := make(map[int32][]graph.Edge, len(slots)) // of those that went
	for _, slot := range slots {
		stars[slot] = nil
	}
	gone := func(slot int32) bool { return int(slot) >= len(l.core2) || l.core2[slot] < 0 }
	add := func(to []graph.Edge, e graph.Edge) []graph.Edge {
		i, j := gone(e.I), gone(e.J)
		if !i && !j {
			return append(to, e)
		}
		if i {
			stars[e.I] = append(stars[e.I], e)
		}
		if j {
			stars[e.J] = append(stars[e.J], e)
		}
		return to
	}
	tree = slices.Grow(l.kept[:0], len(l.tree))
	for _, e := range l.tree {
		tree = add(tree, e)
	}
	for _, slot := range slots {
		star := stars[slot]
		delete(stars, slot)
		ends := star[:0] // I is the other
		for _, e := range star {
			if e.I == slot {
				e.I, e.J = e.J, e.I
			}
			if _, left := stars[e.I]; left || !gone(e.I) {
				ends = append(ends, e)
			}
		}
		if len(ends) == 0 {
			continue
		}
		first := slices.MinFunc(ends, graph.Edge.Compare).I
		for _, e := range ends {
			if e.I != first {
				across = add(across, graph.Edge{I: min(first, e.I), J: max(first, e.I), Dist2: e.Dist2})
			}
		}
	}
	l.kept = tree
	return tree, across
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
		found = l.spokes(found, a.slot, a.level, []reached{a.own})
	}
	return found
}

// unknown returns those asks that lists do not answer.
func (l *Live) unknown(asks []asked) []asked {
	return slices.DeleteFunc(asks, func(a asked) bool { return l.knownUpTo(a.slot) >= a.level })
}
