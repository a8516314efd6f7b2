package live

import (
	"math"
	"testing"

	"unfold/models/lvm"
)

// A map of fewer points than neighbours begins, grows, and shrinks again.
func TestFewPointsBegin(t *testing.T) {
	for name, tails := range map[string]lvm.Tails{"student": lvm.Student, "gaussian": lvm.Gaussian} {
		for _, n := range []int{4, 6, 9} {
			set := quick()
			set.LVM.Tails = tails
			x := blobs(n+60, 5, 7)
			m, slots := fitted(t, x.Slice(0, n), set)
			if m.Len() != n {
				t.Fatalf("%s: %d points of %d", name, m.Len(), n)
			}
			more := change(t, m, nil, x.Slice(n, n+60))
			refresh(t, m)
			if s := m.Snapshot(); s.Mu.Rows != n+60 || s.Neighbors != m.set.neighbors() {
				t.Errorf("%s: %d points with %d neighbours, of %d and %d", name, s.Mu.Rows, s.Neighbors, n+60, m.set.neighbors())
			}
			change(t, m, append(more[:57:57], slots...), none)
			refresh(t, m)
			for _, v := range m.Snapshot().Mu.Data {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%s: %d points left, one at %v", name, m.Len(), v)
				}
			}
		}
	}
}
