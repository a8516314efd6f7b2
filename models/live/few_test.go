package live

import (
	"testing"

	"unfold/models/lvm"
)

// TestFewPointsKeepNeighbors: a map with fewer points than neighbours keeps the number of neighbours
// of its settings, for both tails, so that it has them again when it grows.
func TestFewPointsKeepNeighbors(t *testing.T) {
	for _, tails := range []lvm.Tails{lvm.Student, lvm.Gaussian} {
		for _, neighbors := range []int{0, 12} {
			set := quick()
			set.LVM.Tails, set.LVM.Neighbors = tails, neighbors
			m, slots := fitted(t, blobs(40, 5, 1), set)
			change(t, m, slots[:35], none)
			if r := refresh(t, m); r.Points != 5 || r.Kind == Still || m.Snapshot().Neighbors != set.neighbors() {
				t.Errorf("%v tails: %d neighbours of %d, %+v", tails, m.Snapshot().Neighbors, set.neighbors(), r)
			}
		}
	}
}
