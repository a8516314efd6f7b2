package live

import (
	"context"

	"unfold/internal/vec"
	"unfold/models/lvm"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
)

// carryIndex sets the search of the snapshot of a refreshed map, if it is too large for an exact
// search. It updates a copy of the previous map's index. If there was none, or most points are new,
// SetIndex makes the choice. The result is a function of the previous map and of the changes, so
// that a restored map gives bit-identical results.
func (m *Map) carryIndex(ctx context.Context, s *snapshot.Snapshot, slots []int32) error {
	old := m.snap.Index
	switch {
	case old == nil || 2*m.born > len(slots):
		return lvm.SetIndex(ctx, s, nil, m.set.LVM.Search, knn.Settings{Threads: m.set.LVM.Threads})
	case !lvm.KeepsIndex(s, m.set.LVM.Search):
		return nil
	}
	set := knn.Settings{Threads: m.set.LVM.Threads}
	row := make([]int32, len(m.count)) // rows on the previous map, by slot, of points that stay
	var gone []int32
	for r, slot := range m.slots {
		if m.count[slot] > 0 && m.age[slot] != newborn {
			row[slot] = int32(r)
		} else {
			gone = append(gone, int32(r))
		}
	}
	var born []int32
	for r, slot := range slots {
		if m.age[slot] == newborn {
			born = append(born, int32(r))
		}
	}
	next := old.Clone(max(0, len(born)-len(gone)))
	if err := next.Delete(gone, set); err != nil {
		return err
	}
	numbers, err := next.Insert(ctx, vec.Take(s.Reference, born), set)
	if err != nil {
		return err
	}
	order := make([]int32, len(slots))
	for r, slot := range slots {
		order[r] = row[slot]
	}
	for i, r := range born {
		order[r] = numbers[i]
	}
	if err := next.Renumber(order); err != nil {
		return err
	}
	s.Index = next
	return nil
}
