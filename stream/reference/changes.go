package reference

import (
	"unfold/internal/vec"
)

// Changes are the changes a map must make to match the set at some moment: slots to clear and
// vectors to add.
type Changes struct {
	// Gone are slots of the map, in the order in which their points were removed. X has the vectors
	// of points that are not on the map yet.
	Gone []int32
	X    vec.Matrix[float32]

	points []int32
	gen    []uint32
}

// Len is the number of changes.
func (c Changes) Len() int { return len(c.Gone) + c.X.Rows }

// Fresh returns the number of changes that the map has not made yet.
func (s *Set) Fresh() int { return len(s.gone) + s.Unmapped() }

// Unmapped returns the number of points that are not on the map yet.
func (s *Set) Unmapped() int { return s.Len() - s.mapped }

// Changes lists the pending changes of the map. The set may change before Took confirms them.
func (s *Set) Changes() Changes {
	fresh := s.Len() - s.mapped
	c := Changes{Gone: append([]int32(nil), s.gone...), X: vec.Matrix[float32]{Cols: s.dim, Data: make([]float32, 0, fresh*s.dim)}}
	for p := range s.All() {
		if s.slot[p] < 0 {
			c.points, c.gen = append(c.points, p), append(c.gen, s.gen[p])
			c.X.Rows++
			c.X.Data = append(c.X.Data, s.Vector(p)...)
		}
	}
	return c
}

// Point returns the point whose vector is row i of X, and whether it still exists.
func (s *Set) Point(c Changes, i int) (int32, bool) {
	return c.points[i], s.gen[c.points[i]] == c.gen[i]
}

// Took confirms that the map has made the most recently listed changes: row i of X is at slots[i].
func (s *Set) Took(c Changes, slots []int32) {
	s.gone = append([]int32(nil), s.gone[len(c.Gone):]...)
	for i := range slots {
		p, there := s.Point(c, i)
		if !there {
			s.gone = append(s.gone, slots[i])
			continue
		}
		s.slot[p] = slots[i]
		s.mapped++
		s.reorder(p)
	}
}

// reorder updates a point's position in the eviction order.
func (s *Set) reorder(p int32) {
	if s.settings.Policy == Coverage {
		s.rank.fix(p)
	}
}

// Discard removes the point of row i of X, which the map cannot represent.
func (s *Set) Discard(c Changes, i int) {
	if p, there := s.Point(c, i); there {
		s.counts.Unusable++
		s.remove(p)
	}
}

// Stayed compares the map to be published, in which slot s is row rowOf[s] (-1, or beyond its end:
// none), with the last published one. It returns, for each of its rows, the row of the same point
// on the previous map, -1 if there is none.
func (s *Set) Stayed(rowOf []int32, rows int) []int32 {
	out := make([]int32, rows)
	for r := range out {
		out[r] = -1
	}
	for p := range s.All() {
		if at := s.slot[p]; at >= 0 && int(at) < len(rowOf) && rowOf[at] >= 0 && s.row[p] >= 0 {
			out[rowOf[at]] = s.row[p]
		}
	}
	return out
}

// Published records that a map was published in which slot s is row rowOf[s] (-1, or beyond its
// end: none).
func (s *Set) Published(rowOf []int32) {
	for p := range s.All() {
		s.row[p] = -1
		if at := s.slot[p]; at >= 0 && int(at) < len(rowOf) {
			s.row[p] = rowOf[at]
		}
	}
}

// Rebind resets the map to the last published one, with row r at slots[r]. Points that are not on
// it must be added again, and rows without a point removed. It returns the number of points at each
// row.
func (s *Set) Rebind(slots []int32) []uint32 {
	held := make([]uint32, len(slots))
	s.mapped, s.gone = 0, nil
	for p := range s.All() {
		s.slot[p] = -1
		if r := s.row[p]; r >= 0 && int(r) < len(slots) {
			s.slot[p] = slots[r]
			held[r]++
			s.mapped++
		}
		s.reorder(p)
	}
	for r, n := range held {
		if n == 0 {
			s.gone = append(s.gone, slots[r])
		}
	}
	return held
}
