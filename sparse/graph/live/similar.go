package live

import (
	"slices"

	"unfold/sparse/graph"
)

// marks tells which entries of K are edges of the tree.
type marks struct {
	words int
	bits  []uint64
}

func (m *marks) bytes() int64 { return int64(8 * cap(m.bits)) }

// update looks again at the entries of the touched slots, whose edges of the tree or
// whose lists changed.
func (m *marks) update(g *Graph, touched set) {
	if more := g.top*m.words - len(m.bits); more > 0 {
		m.bits = append(m.bits, make([]uint64, more)...)
	}
	m.bits = m.bits[:g.top*m.words]
	touched.each(func(i int32) {
		if !g.Has(i) {
			return
		}
		words := m.bits[int(i)*m.words:][:m.words]
		clear(words)
		index, dist2 := g.lists.nearest(i)
		for p, j := range index {
			e := graph.Edge{I: min(i, j), J: max(i, j), Dist2: dist2[p]}
			if _, found := slices.BinarySearchFunc(g.forest.edges, e, graph.Edge.Compare); found {
				words[p/64] |= 1 << (p % 64)
			}
		}
	})
}

func (m *marks) has(slot int32, p int) bool {
	return m.bits[int(slot)*m.words+p/64]>>(p%64)&1 != 0
}
