package live

import (
	"slices"

	"unfold/internal/par"
	"unfold/sparse/graph"
)

// forest is the minimum spanning forest of the symmetrised lists.
//
// A change of some lists changes it in two steps. Let U be the edges of the lists that stayed, and
// F' the remaining edges of the forest F. Edges only went on the way from F to U and F', so F' is
// part of the minimum forest of both, and the other edges of that cross between the trees that F
// fell into: replace. Then the edges of the changed lists are added, and Kruskal's algorithm runs
// over them and the forest only: of a circle of other edges the longest is not in the forest
// already (merge).
type forest struct {
	edges []graph.Edge // by Edge.Compare
	old   []graph.Edge // the edges before the last change, or scratch memory
	// root is the smallest slot of every slot's component.
	root  graph.Forest
	trees int
	cut   graph.Forest // the components of F'
	best  []int32      // by root of cut, 1 + the position of its shortest edge in cross; 0 between rounds
	cross []graph.Edge
	fresh []graph.Edge
	// left are the edges that went although they are still in the lists; came are the new edges
	// and those of changed lists, which may be among left as well.
	came, left []graph.Edge
}

func (f *forest) bytes() int64 {
	return int64(16*(cap(f.edges)+cap(f.old)+cap(f.cross)+cap(f.fresh)+cap(f.came)+cap(f.left)) + 4*(cap(f.root)+cap(f.cut)+cap(f.best)))
}

// update brings the forest up to date with the changed lists.
func (f *forest) update(g *Graph, changed set) {
	f.root, f.cut = resized(f.root, g.top), resized(f.cut, g.top)
	if f.part(g, changed) {
		f.replace(g, changed)
	}
	changed.each(func(i int32) {
		if g.Has(i) {
			f.fresh = g.appendEdges(f.fresh, i)
		}
	})
	f.merge(g)
	f.fresh, f.cross = released(f.fresh, 2*g.top), released(f.cross, 8*g.top)
}

// released returns scratch memory for the next time, none if it has grown beyond
// what most changes need.
func released(scratch []graph.Edge, most int) []graph.Edge {
	if cap(scratch) > most+4096 {
		return nil
	}
	return scratch[:0]
}

// part sets old to the remaining edges of the forest, and reports whether any was removed.
func (f *forest) part(g *Graph, changed set) bool {
	f.old = f.old[:0]
	for _, e := range f.edges {
		if changed.has(e.I) || changed.has(e.J) {
			if !g.joined(e.I, e.J) {
				continue
			}
		}
		f.old = append(f.old, e)
	}
	return len(f.old) != len(f.edges)
}

// joined reports whether one of two slots is among the other's nearest.
func (g *Graph) joined(i, j int32) bool {
	if !g.Has(i) || !g.Has(j) {
		return false
	}
	index, _ := g.lists.nearest(i)
	if slices.Contains(index, j) {
		return true
	}
	index, _ = g.lists.nearest(j)
	return slices.Contains(index, i)
}

// appendEdges appends the edges of K that begin at slot i.
func (g *Graph) appendEdges(to []graph.Edge, i int32) []graph.Edge {
	index, dist2 := g.lists.nearest(i)
	for p, j := range index {
		to = append(to, graph.Edge{I: min(i, j), J: max(i, j), Dist2: dist2[p]})
	}
	return to
}

// replace sets fresh to the shortest edges that reconnect the parts of the forest as far as
// possible, by Boruvka's rounds over the crossing edges of unchanged lists.
func (f *forest) replace(g *Graph, changed set) {
	f.cut.Clear()
	for _, e := range f.old {
		f.cut.Union(e.I, e.J)
	}
	f.crossing(g, changed)
	f.best = resized(f.best, max(len(f.best), g.top))
	for len(f.cross) != 0 {
		kept := f.cross[:0]
		for _, e := range f.cross {
			a, b := f.cut.Find(e.I), f.cut.Find(e.J)
			if a == b {
				continue
			}
			kept = append(kept, e)
			at := int32(len(kept))
			for _, tree := range [2]int32{a, b} {
				if b := f.best[tree]; b == 0 || e.Compare(kept[b-1]) < 0 {
					f.best[tree] = at
				}
			}
		}
		f.cross = kept
		f.join()
	}
}

// join adds the best edge of every tree, and clears best.
func (f *forest) join() {
	from := len(f.fresh)
	for _, e := range f.cross {
		for _, end := range [2]int32{e.I, e.J} {
			tree := f.cut.Find(end)
			if at := f.best[tree]; at != 0 {
				f.best[tree] = 0
				f.fresh = append(f.fresh, f.cross[at-1])
			}
		}
	}
	for _, e := range f.fresh[from:] {
		f.cut.Union(e.I, e.J)
	}
}

// crossing appends to cross, which is empty, the edges of unchanged lists between the trees of cut.
func (f *forest) crossing(g *Graph, changed set) {
	f.cut.Flatten()
	const size = 4096
	pieces := make([][]graph.Edge, par.Pieces(g.top, size))
	par.Ranges(g.set.Threads, g.top, size, func(piece, from, to int) {
		var found []graph.Edge
		for i := int32(from); i < int32(to); i++ {
			if changed.has(i) {
				continue
			}
			index, dist2 := g.lists.nearest(i)
			tree := f.cut[i]
			for p, j := range index {
				if f.cut[j] != tree {
					found = append(found, graph.Edge{I: min(i, j), J: max(i, j), Dist2: dist2[p]})
				}
			}
		}
		pieces[piece] = found
	})
	for _, found := range pieces {
		f.cross = append(f.cross, found...)
	}
}

// merge is Kruskal's algorithm over the edges of old and of fresh.
func (f *forest) merge(g *Graph) {
	f.edges, f.came, f.left = f.edges[:0], f.came[:0], f.left[:0]
	f.root.Clear()
	order := graph.ByLength(f.fresh)
	next := 0
	for _, e := range f.old {
		for next < len(order) && f.fresh[order[next]].Compare(e) <= 0 {
			f.accept(f.fresh[order[next]])
			next++
		}
		if f.root.Union(e.I, e.J) {
			f.edges = append(f.edges, e)
		} else {
			f.left = append(f.left, e)
		}
	}
	for _, o := range order[next:] {
		f.accept(f.fresh[o])
	}
	f.root.Flatten()
	f.trees = g.n - len(f.edges)
}

// accept adds a fresh edge if it closes no circle.
func (f *forest) accept(e graph.Edge) {
	if f.root.Union(e.I, e.J) {
		f.edges, f.came = append(f.edges, e), append(f.came, e)
	}
}
