package live

import "unfold/internal/vec"

// Label sets the labels of the points in some slots; "" means none. With Supervision, the map
// learns with them from the next refresh on. The last label of a point counts. A new point has
// none.
func (m *Map) Label(slots []int32, label []string) {
	for i, l := range label {
		m.label[slots[i]] = l
	}
}

// labelled returns the labels of the points in slots, or nil without supervision.
func (m *Map) labelled(slots []int32) []string {
	if m.set.LVM.Student.Supervision == 0 {
		return nil
	}
	return vec.Pick(m.label, slots)
}
