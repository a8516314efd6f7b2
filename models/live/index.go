package live

import (
	"context"

	"unfold/internal/vec"
	"unfold/models/lvm"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
)

// carryIndex gives the snapshot of a refreshed map, of the points in slots, what events are placed
// by, if it is large enough for more than an exact search: the index of the map before, without the
// points that went and with those that came, or if it had none or most of them came, what SetIndex
// chooses. It is a function of the map before and of the changes, so that a map that was restored
// goes on with the same bits.
func (m *Map) carryIndex(ctx context.Context, s *snapshot.Snapshot, slots []int32) error {
	old := m.snap.Index
	switch {
	case old == nil || 2*m.born > len(slots):
		return lvm.SetIndex(ctx, s, nil, m.set.LVM.Search, knn.Settings{Threads: m.set.LVM.Threads})
	case !lvm.KeepsIndex(s, m.set.LVM.Search):
		return nil
	}
	set := knn.Settings{Threads: m.set.LVM.Threads}
	row := make([]int32, len(m.count)) // by slot, of points that stay, in the map before
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
