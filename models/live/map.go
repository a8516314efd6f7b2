package live

import (
	"context"
	"fmt"

	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/points"
	"unfold/models/snapshot"
)

// Map is a map together with the points from which it is learnt. It is not safe for concurrent use,
// but its snapshots are.
type Map struct {
	set    Settings
	dim    int // columns of rows
	dims   int // columns of places
	lists  *lists
	equal  *equals
	marks  *landmarks     // for Gaussian tails, from the first refresh on
	marked *LandmarkState // state of marks at the last refresh

	// By slot: places (dims each), variances, the number of rows of a point (0: the slot is free),
	// and the places of points when the epoch began or at their first major.
	mu, sigma2 []float64
	count      []uint32
	origin     []float64
	age        []age
	label      []string // labels for learning, "" for none (Label)

	// extent divided by the size of a map (sizeOf) is its published unit.
	extent float64
	policy policy
	alarm  alarm
	born   int // points added and removed since the last refresh
	gone   int

	snap    *snapshot.Snapshot // of the last refresh
	slots   []int32            // slots of its rows
	origins []byte             // State.Origin of its rows
	placer  models.Placer      // placer of snap, made when first needed
}

// age has the time at which each point came to the map.
type age uint8

const (
	newborn age = iota // added since the last refresh
	young              // added since the last major
	old                // added before
)

// newMap returns an empty map with the dimensions of a snapshot.
func newMap(s *snapshot.Snapshot, set Settings) *Map {
	return &Map{
		set: set, dim: s.Reference.Cols, dims: s.Mu.Cols, equal: newEquals(), snap: s,
		policy: policy{majorPoints: s.Reference.Rows}, alarm: alarm{set: set.Alarm},
	}
}

// fill puts the points of a snapshot into slots, which ascend; nil means 0, 1, ...
func (m *Map) fill(s *snapshot.Snapshot, slots []int32) {
	if slots == nil {
		for i := range s.Reference.Rows {
			slots = append(slots, int32(i))
		}
	}
	m.slots = slots
	for i, slot := range slots {
		m.reserve(slot)
		m.equal.add(m.lists.Row(slot), slot)
		copy(m.place(slot), s.Mu.Row(i))
		copy(m.begun(slot), s.Mu.Row(i))
		m.sigma2[slot], m.count[slot], m.age[slot] = s.Sigma2[i], max(s.Count[i], 1), old
	}
}

// reserve extends the slices up to a slot.
func (m *Map) reserve(slot int32) {
	for len(m.count) <= int(slot) {
		m.mu, m.origin, m.label = append(m.mu, make([]float64, m.dims)...), append(m.origin, make([]float64, m.dims)...), append(m.label, "")
		m.sigma2, m.count, m.age = append(m.sigma2, 0), append(m.count, 0), append(m.age, newborn)
	}
}

// place returns the place of a slot's point. begun returns its place when the epoch began, or at
// its first major.
func (m *Map) place(slot int32) []float64 { return m.mu[int(slot)*m.dims : (int(slot)+1)*m.dims] }
func (m *Map) begun(slot int32) []float64 { return m.origin[int(slot)*m.dims : (int(slot)+1)*m.dims] }

// Snapshot returns the map of the last refresh, or of the fit if there was none. Fields that
// describe how events become rows are empty: Encoder, Names, Mean, Components, Settings, Positions.
// Dim is that of the rows. The snapshot is read-only.
func (m *Map) Snapshot() *snapshot.Snapshot { return m.snap }

// Slots returns the slots of the snapshot's rows in ascending order. It is read-only.
func (m *Map) Slots() []int32 { return m.slots }

// Len returns the present number of distinct points.
func (m *Map) Len() int {
	n := 0
	for _, c := range m.count {
		if c > 0 {
			n++
		}
	}
	return n
}

// Count returns the number of rows of the point in a slot, 0 if the slot is free.
func (m *Map) Count(slot int32) int {
	if slot < 0 || int(slot) >= len(m.count) {
		return 0
	}
	return int(m.count[slot])
}

// Novelty adds the local novelty percentiles of placed events to the present block. The alarm
// depends on them.
func (m *Map) Novelty(local []float32) { m.alarm.count(local) }

// Due returns the kind of the next refresh if there are n points then, born of them new: see
// Settings.Due.
func (m *Map) Due(n, born int) Kind { return m.set.Due(m.State(), n, born) }

// Restore continues the map of a snapshot, of this package or of a fit, and its state. The zero
// State is that of a newly learnt map. Dimensions, neighbours, tails and distance of the settings
// must be those of the snapshot.
func Restore(ctx context.Context, s *snapshot.Snapshot, state State, set Settings) (*Map, error) {
	set, err := set.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, models.BadInputf("live: the snapshot does not fit: %w", err)
	}
	// A fit of few points has all others as neighbours.
	few := s.Neighbors < set.neighbors() && s.Neighbors == s.Mu.Rows-1
	if s.Mu.Cols != set.LVM.Dims || lvm.TailsOf(s) != set.LVM.Tails || s.Neighbors != set.neighbors() && !few {
		return nil, models.BadInputf("live: a map in %d dimensions with %v tails and %d neighbours, the settings want %d, %v and %d",
			s.Mu.Cols, lvm.TailsOf(s), s.Neighbors, set.LVM.Dims, set.LVM.Tails, set.neighbors())
	}
	if s.Distance != set.LVM.Distance {
		return nil, models.BadInputf("live: a map of rows under the distance %v, the settings want %v", s.Distance, set.LVM.Distance)
	}
	if err := state.check(s); err != nil {
		return nil, err
	}
	m := newMap(s, set)
	if m.lists, err = restoreLists(ctx, s.Reference, state.Slots, set); err != nil {
		return nil, err
	}
	m.fill(s, state.Slots)
	label, err := points.LabelsOf(s)
	if err != nil {
		return nil, err
	}
	m.Label(m.slots, label)
	m.resume(state)
	if m.extent = state.Extent; m.extent == 0 && s.Student != nil {
		m.extent = Unit(s) * sizeOf(m.policy.majorPoints, push(s))
	}
	return m, m.remark(ctx, state.Landmarks)
}

// errSlot returns the error of removing more rows from a slot than it contains.
func errSlot(slot int32) error {
	return fmt.Errorf("live: cannot delete slot %d: it holds no row, or fewer rows than are to be deleted", slot)
}
