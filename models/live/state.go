package live

import (
	"encoding/binary"
	"math"

	"unfold/models"
	"unfold/models/snapshot"
)

// State is the part of a map, besides its snapshot, that Restore needs. It does not share memory
// with the map and is stored as JSON.
type State struct {
	// Slots are the slots of the snapshot's rows, ascending; nil means 0, 1, ...
	Slots []int32 `json:"slots,omitempty"`
	// Refreshes is the number of refreshes since the first fit, SinceMajor that since the last
	// major, and MajorPoints the number of points at the last major.
	Refreshes   int `json:"refreshes"`
	SinceMajor  int `json:"since_major"`
	MajorPoints int `json:"major_points"`
	// Alarm is the number of refreshes since the alarm began (0: no alarm). Blocks are the last
	// blocks of events, oldest first.
	Alarm  int     `json:"alarm"`
	Blocks []Block `json:"blocks,omitempty"`
	// Origin are the places of the snapshot's points when the epoch began or at their first major
	// refresh, NaN for points that have had neither. The format is little-endian float64, row by
	// row.
	Origin []byte `json:"origin,omitempty"`
	// Extent is the unit of the map times the natural size of a map of as many points. 0, as in
	// older files, means that it follows from the snapshot.
	Extent float64 `json:"extent,omitempty"`
	// Landmarks is the state of the landmarks of a map with Gaussian tails. nil, as in older files,
	// means that they are selected again.
	Landmarks *LandmarkState `json:"landmarks,omitempty"`
}

// State returns the state at the last refresh, which Restore needs in addition to Snapshot. Later
// changes must be repeated.
func (m *Map) State() State {
	s := State{
		Slots: m.slots, Refreshes: m.policy.refreshes, SinceMajor: m.policy.sinceMajor, MajorPoints: m.policy.majorPoints,
		Alarm: m.alarm.since, Blocks: append([]Block(nil), m.alarm.blocks...), Origin: m.origins, Extent: m.extent, Landmarks: m.marked,
	}
	return s
}

// originBytes returns State.Origin of the points in slots.
func (m *Map) originBytes(slots []int32) []byte {
	out := make([]byte, 0, 8*m.dims*len(slots))
	for _, slot := range slots {
		for _, v := range m.begun(slot) {
			if m.age[slot] != old {
				v = math.NaN()
			}
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	return out
}

// check returns an error if a state does not belong to its snapshot.
func (st State) check(s *snapshot.Snapshot) error {
	n := s.Reference.Rows
	bad := func(format string, args ...any) error {
		return models.BadInputf("live: the state does not belong to the snapshot: "+format, args...)
	}
	if st.Slots != nil && len(st.Slots) != n {
		return bad("%d slots for %d points", len(st.Slots), n)
	}
	for i, slot := range st.Slots {
		if slot < 0 || i > 0 && slot <= st.Slots[i-1] || int(slot) > 2*n+1<<20 {
			return bad("slot %d of point %d", slot, i)
		}
	}
	if st.Origin != nil && len(st.Origin) != 8*len(s.Mu.Data) {
		return bad("%d bytes of places for %d points", len(st.Origin), n)
	}
	if st.Refreshes < 0 || st.SinceMajor < 0 || st.MajorPoints < 0 || st.Alarm < 0 {
		return bad("a counter is below 0")
	}
	if !(st.Extent >= 0) || math.IsInf(st.Extent, 0) {
		return bad("an extent of %v", st.Extent)
	}
	if st.Landmarks != nil && st.Landmarks.Level < 0 {
		return bad("landmarks of level %d", st.Landmarks.Level)
	}
	for _, b := range st.Blocks {
		if b.Events < 0 || b.Beyond < 0 || b.Beyond > b.Events {
			return bad("%d of %d events are strange", b.Beyond, b.Events)
		}
	}
	return nil
}

// resume restores a state after the points have been put into their slots.
func (m *Map) resume(st State) {
	m.policy.refreshes, m.policy.sinceMajor = st.Refreshes, st.SinceMajor
	if st.MajorPoints > 0 {
		m.policy.majorPoints = st.MajorPoints
	}
	m.alarm.since, m.alarm.blocks = st.Alarm, append([]Block(nil), st.Blocks...)
	for i, slot := range m.slots {
		if st.Origin == nil {
			break
		}
		row := m.begun(slot)
		for c := range row {
			bits := binary.LittleEndian.Uint64(st.Origin[8*(i*m.dims+c):])
			if row[c] = math.Float64frombits(bits); math.IsNaN(row[c]) || math.IsInf(row[c], 0) {
				m.age[slot] = young
			}
		}
	}
	m.origins = m.originBytes(m.slots)
}
