package live

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/modeltest"
	"unfold/models/snapshot"
	"unfold/models/student"
)

// TestStateChecked: a state that does not match its snapshot is refused with the reason.
func TestStateChecked(t *testing.T) {
	s := &snapshot.Snapshot{Reference: vec.New[float32](3, 2), Mu: vec.New[float64](3, 2)}
	for _, c := range []struct {
		st   State
		want string
	}{
		{State{}, ""}, {State{Slots: []int32{0, 4, 1<<20 + 6}, Origin: make([]byte, 48), Extent: 2, Landmarks: &LandmarkState{}, Blocks: []Block{{}, {3, 3}}}, ""},
		{State{Slots: []int32{0, 4}}, "2 slots for 3 points"}, {State{Slots: []int32{0, 4, 1<<20 + 7}}, "slot 1048583 of point 2"},
		{State{Slots: []int32{-1, 4, 5}}, "slot -1 of point 0"}, {State{Slots: []int32{1, 1, 5}}, "slot 1 of point 1"}, {State{Slots: []int32{1, 0, 5}}, "slot 0 of point 1"},
		{State{Origin: make([]byte, 47)}, "47 bytes"}, {State{Refreshes: -1}, "counter"}, {State{SinceMajor: -1}, "counter"}, {State{MajorPoints: -1}, "counter"}, {State{Alarm: -1}, "counter"},
		{State{Extent: -1}, "extent of -1"}, {State{Extent: math.Inf(1)}, "extent of +Inf"}, {State{Extent: math.NaN()}, "extent of NaN"},
		{State{Landmarks: &LandmarkState{Level: -1}}, "level -1"}, {State{Blocks: []Block{{-1, -1}}}, "-1 of -1"}, {State{Blocks: []Block{{2, -1}}}, "-1 of 2"}, {State{Blocks: []Block{{1, 1}, {2, 3}}}, "3 of 2"},
	} {
		err := c.st.check(s)
		if (err == nil) != (c.want == "") || err != nil && (!models.IsBadInput(err) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.st, err, c.want)
		}
	}
}

// restored returns a map of a snapshot that needs no learning, in slots with gaps, and its state.
func restored(t *testing.T, change func(s *snapshot.Snapshot, st *State, set *Settings)) (*Map, error) {
	t.Helper()
	s, _ := modeltest.Snapshot(t, 3, 30, 4, 0, 2)
	s = modeltest.Heavy(s)
	s.Neighbors = student.DefaultNeighbors
	st := State{Refreshes: 12, SinceMajor: 3, MajorPoints: 28, Alarm: 4, Blocks: []Block{{10, 2}, {20, 3}}, Extent: 2.5}
	for i := range int32(30) {
		st.Slots = append(st.Slots, 2*i+i/20)
	}
	for i, v := range s.Mu.Data {
		if i/2 == 11 {
			v = math.NaN()
		}
		st.Origin = binary.LittleEndian.AppendUint64(st.Origin, math.Float64bits(v+1))
	}
	set := quick()
	if change != nil {
		change(s, &st, &set)
	}
	return Restore(t.Context(), s, st, set)
}

// TestRestoredMap: a restored map has the points in their slots, with places, variances, counts,
// origins and ages. Its counters are those of the state, and it reports the same state again.
func TestRestoredMap(t *testing.T) {
	m, err := restored(t, func(s *snapshot.Snapshot, _ *State, _ *Settings) { s.Count[4] = 3 })
	if err != nil {
		t.Fatal(err)
	}
	s := m.Snapshot()
	if m.Len() != 30 || m.Count(-1) != 0 || m.Count(1) != 0 || m.Count(1000) != 0 || m.Count(int32(len(m.count))) != 0 || m.Count(8) != 3 || m.Count(0) != 1 {
		t.Errorf("%d points, counts %v", m.Len(), m.count)
	}
	for i, slot := range m.Slots() {
		want := old
		if i == 11 {
			want = young
		}
		if slot != int32(2*i+i/20) || !slices.Equal(m.lists.Row(slot), s.Reference.Row(i)) || !slices.Equal(m.place(slot), s.Mu.Row(i)) || m.sigma2[slot] != s.Sigma2[i] || m.age[slot] != want {
			t.Errorf("point %d in slot %d: %v at %v, age %d", i, slot, m.lists.Row(slot), m.place(slot), m.age[slot])
		}
		if begun := m.begun(slot); i != 11 && (begun[0] != s.Mu.Row(i)[0]+1 || begun[1] != s.Mu.Row(i)[1]+1) {
			t.Errorf("point %d began at %v", i, begun)
		}
		if got := m.equal.find(s.Reference.Row(i), m.lists.Row); got != slot {
			t.Errorf("the row of point %d is found in slot %d", i, got)
		}
	}
	st := m.State()
	if st.Refreshes != 12 || st.SinceMajor != 3 || st.MajorPoints != 28 || st.Alarm != 4 || !slices.Equal(st.Blocks, []Block{{10, 2}, {20, 3}}) || st.Extent != 2.5 || !slices.Equal(st.Slots, m.Slots()) {
		t.Errorf("%+v", st)
	}
	for i := range 60 {
		v := math.Float64frombits(binary.LittleEndian.Uint64(st.Origin[8*i:]))
		if i/2 == 11 && !math.IsNaN(v) || i/2 != 11 && v != s.Mu.Data[i]+1 {
			t.Errorf("coordinate %d began at %v", i, v)
		}
	}
	// New points take the lowest free slots: the gaps first.
	slots := change(t, m, nil, blobs(11, 4, 9))
	if !slices.Equal(slots, []int32{1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21}) || m.Len() != 41 || m.born != 11 {
		t.Errorf("new points are in slots %v, %d are born", slots, m.born)
	}
	if change(t, m, []int32{1, 8, 0}, none); m.Len() != 39 || m.born != 10 || m.gone != 1 || m.Count(8) != 2 {
		t.Errorf("%d points, %d born, %d gone, %d", m.Len(), m.born, m.gone, m.Count(8))
	}

	m, err = restored(t, func(_ *snapshot.Snapshot, st *State, _ *Settings) { *st = State{} })
	if err != nil {
		t.Fatal(err)
	}
	s = m.Snapshot()
	if st := m.State(); st.MajorPoints != 30 || st.Refreshes != 0 || m.Slots()[29] != 29 || math.Abs(st.Extent-Unit(s)*sizeOf(30, push(s))) > 1e-12 {
		t.Errorf("%+v", st)
	}
	for i := range int32(30) {
		if m.age[i] != old || !slices.Equal(m.begun(i), s.Mu.Row(int(i))) {
			t.Errorf("point %d began at %v", i, m.begun(i))
		}
	}
}

// TestRestoreRefuses: settings of another map and invalid snapshots are refused.
func TestRestoreRefuses(t *testing.T) {
	for want, f := range map[string]func(s *snapshot.Snapshot, st *State, set *Settings){
		"does not fit":          func(s *snapshot.Snapshot, _ *State, _ *Settings) { s.Kind = "" },
		"in 2 dimensions":       func(_ *snapshot.Snapshot, _ *State, set *Settings) { set.LVM.Dims = 3 },
		"and 8 neighbours, the": func(_ *snapshot.Snapshot, _ *State, set *Settings) { set.LVM.Neighbors = 9 },
		"the settings want 2, ": func(_ *snapshot.Snapshot, _ *State, set *Settings) {
			set.LVM.Tails, set.LVM.Neighbors = lvm.Gaussian, student.DefaultNeighbors
		},
		"under the distance": func(_ *snapshot.Snapshot, _ *State, set *Settings) { set.LVM.Distance = 1 },
		"counter":            func(_ *snapshot.Snapshot, st *State, _ *Settings) { st.Alarm = -1 },
		"grown 0.5":          func(_ *snapshot.Snapshot, _ *State, set *Settings) { set.Growth = 0.5 },
	} {
		if _, err := restored(t, f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
