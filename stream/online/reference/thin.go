package reference

import (
	"cmp"
	"slices"
)

// Density tells how crowded a map is.
type Density interface {
	// KDist2 returns the squared distance of the point at that slot to its k-th
	// neighbour.
	KDist2(slot int32) float64
	// Neighbors returns the slots of its neighbours, or nil if they are not known.
	Neighbors(slot int32) []int32
}

// Thin brings a set with the policy Coverage back to its size: the points go that
// are nearest to their k-th neighbours, of equals the one that has not been seen for
// longest. Within one call none goes whose neighbour went, unless too few are left.
// Points that the map has not taken yet stay.
func (s *Set) Thin(d Density) {
	excess := s.Len() - s.settings.Size
	if s.settings.Policy != Coverage || excess <= 0 {
		return
	}
	type crowded struct {
		point int32
		dist2 float64
	}
	var all []crowded
	for p := range s.All() {
		if s.slot[p] >= 0 {
			all = append(all, crowded{p, d.KDist2(s.slot[p])})
		}
	}
	slices.SortFunc(all, func(a, b crowded) int {
		return cmp.Or(cmp.Compare(a.dist2, b.dist2), cmp.Compare(s.order[a.point], s.order[b.point]))
	})
	spared := map[int32]bool{} // slots beside one that goes
	for _, careful := range []bool{true, false} {
		for _, c := range all {
			if excess == 0 {
				return
			}
			slot := s.slot[c.point]
			if slot < 0 || careful && spared[slot] {
				continue
			}
			for _, o := range d.Neighbors(slot) {
				spared[o] = true
			}
			s.counts.Evicted++
			s.remove(c.point)
			excess--
		}
	}
}
