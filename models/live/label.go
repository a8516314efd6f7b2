package live

import "unfold/internal/vec"

// Label gives the points in some slots labels, "" for none: with Supervision the map learns by them from the
// next refresh on. A point has the label that it was given last, and a new one has none.
func (m *Map) Label(slots []int32, label []string) {
	for i, l := range label {
		m.label[slots[i]] = l
	}
}

// labelled are the labels of the points in slots, nil without supervision.
func (m *Map) labelled(slots []int32) []string {
	if m.set.LVM.Student.Supervision == 0 {
		return nil
	}
	return vec.Pick(m.label, slots)
}
