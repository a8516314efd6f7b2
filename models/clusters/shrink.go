package clusters

import (
	"cmp"
	"context"
	"slices"

	"unfold/sparse/graph"
)

// shrink updates the tree after a deletion. Reachabilities only rose.
func (l *Live) shrink(ctx context.Context, slots []int32) error {
	l.measure()
	n, top := l.Len(), l.graph.Top()
	tree, across := l.without(slots)
	kept := tree[:0]
	var fresh []graph.Edge
	for _, e := range tree {
		if now := max(l.core2[e.I], l.core2[e.J]); now > e.Dist2 {
			e.Dist2 = now
			fresh = append(fresh, e)
			continue
		}
		kept = append(kept, e)
	}
	for _, e := range across {
		fresh = append(fresh, l.edge(e.I, e.J))
	}
	l.before, l.levels = l.levels, l.before
	l.tree = l.levels.kruskal(kept, fresh, n, top)
	for {
		asks := l.open(fresh)
		found := l.listed(asks)
		if len(found) == 0 {
			asks = l.unknown(asks)
			found = l.bridges(asks)
		}
		if len(found) == 0 {
			return l.search(ctx, asks)
		}
		l.tree = l.levels.kruskal(l.tree, found, n, top)
		fresh = append(fresh, found...)
	}
}

// search looks for pairs of asks that no list contains, and adds those to the tree that are shorter
// than its edges.
func (l *Live) search(ctx context.Context, asks []asked) error {
	if l.set.Recall < 1 {
		return nil
	}
	found, err := l.shorter(ctx, asks)
	if err == nil && len(found) != 0 {
		l.tree = l.levels.kruskal(l.tree, found, l.Len(), l.graph.Top())
	}
	return err
}

// without returns the edges of the tree between remaining points, in their order. across are pairs
// that replace paths over deleted points. With both, the longest edge on the path between two
// points is unchanged. The neighbours of a deleted point are connected to the nearest of them.
func (l *Live) without(slots []int32) (tree, across []graph.Edge) {
	stars := make(map[int32][]graph.Edge, len(slots)) // edges of the deleted points
	gone := func(slot int32) bool { return int(slot) >= len(l.core2) || l.core2[slot] == empty }
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
	l.kept = l.kept[:0]
	for _, e := range l.tree {
		l.kept = add(l.kept, e)
	}
	for _, slot := range slots {
		star := stars[slot]
		delete(stars, slot)
		ends := star[:0] // I is the other end
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
	return l.kept, across
}

// parts is a part of a component of the tree below its level: a range of positions, and its class.
type parts struct {
	from, to, class int32
}

// open returns the points that may have edges shorter than those of the tree. fresh are the changed
// edges of the tree, and perhaps others. Each joins parts at a level. Parts that were connected
// below this level before may have a shorter connection. Of such parts, all points but those of the
// largest are asked.
func (l *Live) open(fresh []graph.Edge) (asks []asked) {
	v := &l.levels
	type node struct {
		from  int
		level float64
	}
	seen := map[node]bool{}
	var all []parts
	for _, e := range fresh {
		level := v.pathMost(e.I, e.J)
		if level < e.Dist2 {
			continue // the edge is not in the tree
		}
		from, to := v.upTo(int(v.place[e.I]), level)
		if seen[node{from, level}] {
			continue
		}
		seen[node{from, level}] = true
		all = all[:0]
		for a := from; a < to; {
			b := v.after(a, level)
			class, _ := l.before.below(int(l.before.place[v.order[a]]), level)
			all = append(all, parts{int32(a), int32(b), int32(class)})
			a = b
		}
		asks = l.ask(asks, all, level)
	}
	return asks
}

// ask appends the points of parts that have the same class as a larger part.
func (l *Live) ask(asks []asked, all []parts, level float64) []asked {
	from, to := all[0].from, all[len(all)-1].to
	slices.SortFunc(all, func(a, b parts) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(b.to-b.from, a.to-a.from), cmp.Compare(a.from, b.from))
	})
	for i := 1; i < len(all); i++ {
		p := all[i]
		if p.class != all[i-1].class {
			continue
		}
		for _, slot := range l.levels.order[p.from:p.to] {
			if l.core2[slot] < level {
				asks = append(asks, asked{slot: slot, level: level, from: from, to: to, own: reached{p.from, p.to}})
			}
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

// unknown returns the asks whose lists are too short for an answer.
func (l *Live) unknown(asks []asked) []asked {
	return slices.DeleteFunc(asks, func(a asked) bool { return l.knownUpTo(a.slot) >= a.level })
}
