package live

import "slices"

// marks holds which entries of K are edges of the tree.
type marks struct {
	words int
	bits  []uint64
}

func (m *marks) bytes() int64 { return int64(8 * cap(m.bits)) }

// update brings the marks up to date with the changed lists and a forest that has followed
// them.
func (m *marks) update(g *Graph, changed set) {
	m.bits = resized(m.bits, g.top*m.words)
	changed.each(func(i int32) {
		if g.Has(i) {
			clear(m.bits[int(i)*m.words:][:m.words])
		}
	})
	for _, e := range g.forest.left {
		m.set(g, e.I, e.J, 0)
		m.set(g, e.J, e.I, 0)
	}
	for _, e := range g.forest.came {
		m.set(g, e.I, e.J, 1)
		m.set(g, e.J, e.I, 1)
	}
}

// set makes bit the mark of the entry of slot i that names j, if there is one.
func (m *marks) set(g *Graph, i, j int32, bit uint64) {
	index, _ := g.lists.nearest(i)
	if p := slices.Index(index, j); p >= 0 {
		word := &m.bits[int(i)*m.words+p/64]
		*word = *word&^(1<<(p%64)) | bit<<(p%64)
	}
}

func (m *marks) has(slot int32, p int) bool {
	return m.bits[int(slot)*m.words+p/64]>>(p%64)&1 != 0
}
