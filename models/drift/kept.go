package drift

import (
	"slices"

	"unfold/sparse/graph"
)

// kept has the counts of both graphs, and a copy of the graphs as last counted. Comparing with the
// copy finds the changed edges.
type kept struct {
	tree, lists tally
	edges       []graph.Edge // of the tree, by Edge.Compare
	list        [][]int32    // neighbours by slot
	changed     []int32
}

// begin counts points and edges of a new graph.
func (k *kept) begin(m *Monitor) {
	k.list = make([][]int32, len(m.newest))
	for s := range m.newest {
		k.list[s] = make([]int32, 0, m.set.Neighbors)
	}
	k.tree.resize(len(m.newest), 0)
	k.lists.resize(len(m.newest), 0)
	for s := range m.newest {
		k.point(m, 1, int32(s))
	}
	k.follow(m)
}

// point adds the point in a slot, or removes it. The point has no edges at that time.
func (k *kept) point(m *Monitor, sign int, slot int32) {
	clusters := int(m.cluster[slot]) + 1
	k.tree.resize(0, clusters)
	k.lists.resize(0, clusters)
	k.tree.point(sign, m.newest[slot], m.cluster[slot])
	k.lists.point(sign, m.newest[slot], m.cluster[slot])
}

// follow updates the counts after an insertion or a deletion.
func (k *kept) follow(m *Monitor) {
	k.followTree(m)
	k.changed = m.graph.Changed(k.changed[:0])
	for _, slot := range k.changed {
		k.followList(m, slot)
	}
}

// followTree updates the tree's counts by the removed and the added edges.
func (k *kept) followTree(m *Monitor) {
	now, was := m.graph.Tree(), k.edges
	count := func(sign int64, e graph.Edge) {
		newest, cluster := m.ends(e.I, e.J)
		k.tree.edge(sign, 0, e.I, e.J, newest, cluster)
	}
	for len(now) > 0 || len(was) > 0 {
		order := 0
		switch {
		case len(was) == 0:
			order = -1
		case len(now) == 0:
			order = 1
		default:
			order = now[0].Compare(was[0])
		}
		if order < 0 {
			count(1, now[0])
		}
		if order > 0 {
			count(-1, was[0])
		}
		if order <= 0 {
			now = now[1:]
		}
		if order >= 0 {
			was = was[1:]
		}
	}
	k.edges = append(k.edges[:0], m.graph.Tree()...)
}

// followList updates the counts by the removed and the added entries of a list. An entry adds
// weight 1 between its two points, so a mutual pair has weight 2.
func (k *kept) followList(m *Monitor, slot int32) {
	var now []int32
	if m.graph.Has(slot) {
		now, _ = m.graph.Neighbors(slot)
	}
	was := k.list[slot]
	count := func(sign int64, j int32) {
		back := int64(0)
		if slices.Contains(k.list[j], slot) {
			back = 1
		}
		newest, cluster := m.ends(slot, j)
		k.lists.edge(sign, back, slot, j, newest, cluster)
	}
	for _, j := range was {
		if !slices.Contains(now, j) {
			count(-1, j)
		}
	}
	for _, j := range now {
		if !slices.Contains(was, j) {
			count(1, j)
		}
	}
	k.list[slot] = append(was[:0], now...)
}
