package live

import (
	"fmt"

	"unfold/sparse/graph"
)

// follow brings the other parts up to date with the lists whose entries of K
// changed, those of deleted points included.
func (g *Graph) follow(changed set) {
	g.changed = changed
	if g.set.Parts.forest() {
		g.forest.update(g, changed)
	}
	if g.set.Parts.Has(Similar) {
		g.marks.update(g, changed)
	}
	if g.set.Parts.Has(Reach) {
		g.reach.update(g, changed)
	}
}

func (g *Graph) need(p Parts) {
	if !g.set.Parts.Has(p) {
		panic(fmt.Sprintf("live: asked for %v of a graph that keeps %v", p, g.set.Parts))
	}
}

// Components returns the number of connected components. Like the methods below it
// panics if the part that it reports is not kept.
func (g *Graph) Components() int {
	g.needForest()
	return g.forest.trees
}

// Component returns the smallest slot of a point's component.
func (g *Graph) Component(slot int32) int32 {
	g.needForest()
	g.must(slot)
	return g.forest.root[slot]
}

func (g *Graph) needForest() {
	if !g.set.Parts.forest() {
		g.need(Components)
	}
}

// Tree returns the edges of the minimum spanning forest, shortest first (ties by
// slots).
func (g *Graph) Tree() []graph.Edge {
	g.need(Tree)
	return g.forest.edges
}

// Mutual reports whether the p-th of a point's neighbours reaches it in at most
// s steps.
func (g *Graph) Mutual(slot int32, p int) bool {
	g.need(Reach)
	g.mustEntry(slot, p)
	return g.reach.has(slot, p)
}

// Similar reports whether the p-th of a point's neighbours is one of E: an edge of the tree,
// or mutually reachable.
func (g *Graph) Similar(slot int32, p int) bool {
	g.need(Similar)
	g.mustEntry(slot, p)
	return g.marks.has(slot, p) || g.reach.has(slot, p)
}

func (g *Graph) mustEntry(slot int32, p int) {
	if index, _ := g.Neighbors(slot); p < 0 || p >= len(index) {
		panic(fmt.Sprintf("live: neighbour %d of %d of slot %d", p, len(index), slot))
	}
}
