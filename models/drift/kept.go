package drift

import (
	"slices"

	"unfold/sparse/graph"
)

// kept are the counts of both graphs, and the graphs as they were when these were counted:
// a change is what differs.
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

// point adds the point in a slot, or takes it out. It has no edges then.
func (k *kept) point(m *Monitor, sign int, slot int32) {
	clusters := int(m.cluster[slot]) + 1
	k.tree.resize(0, clusters)
	k.lists.resize(0, clusters)
	k.tree.point(sign, m.newest[slot], m.cluster[slot])
	k.lists.point(sign, m.newest[slot], m.cluster[slot])
}

// follow brings the counts up to date after an insertion or a deletion.
func (k *kept) follow(m *Monitor) {
	k.followTree(m)
	k.changed = m.graph.Changed(k.changed[:0])
	for _, slot := range k.changed {
		k.followList(m, slot)
	}
}

// followTree counts the edges that went, and those that came.
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

// followList counts the entries of a list that went, and those that came. An entry weighs 1
// between its two points, also where it is mutual: such a pair weighs 2.
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
