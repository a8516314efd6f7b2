package reference

import (
	"unfold/internal/vec"
)

// Changes are what a map has to do to follow the set, as of a moment: clear some
// slots and take some vectors.
type Changes struct {
	// Gone are slots of the map, in the order in which their points went. X holds
	// the vectors of the points that are not in the map yet.
	Gone []int32
	X    vec.Matrix[float32]

	points []int32
	gen    []uint32
}

// Len is the number of changes.
func (c Changes) Len() int { return len(c.Gone) + c.X.Rows }

// Fresh is how many changes the map has yet to make.
func (s *Set) Fresh() int { return len(s.gone) + s.Unmapped() }

// Unmapped is how many points the map has yet to take.
func (s *Set) Unmapped() int { return s.Len() - s.mapped }

// Changes lists what the map has yet to do. The set may change before Took says
// that it is done.
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

// Point returns the point whose vector is row i of X, and whether it is still there.
func (s *Set) Point(c Changes, i int) (int32, bool) {
	return c.points[i], s.gen[c.points[i]] == c.gen[i]
}

// Took says that the map has made these changes, the newest ones that were listed:
// row i of X is at slots[i].
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

// reorder puts a point right among those that have to go first.
func (s *Set) reorder(p int32) {
	if s.settings.Policy == Coverage {
		s.rank.fix(p)
	}
}

// Discard removes the point of row i of X, which the map cannot take.
func (s *Set) Discard(c Changes, i int) {
	if p, there := s.Point(c, i); there {
		s.counts.Unusable++
		s.remove(p)
	}
}

// Stayed returns, for each row of a map that is about to be published, in which slot s is row
// rowOf[s] (-1, or beyond its end: none), the row of the map that was published last which
// the same point is there, -1 if it is not.
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

// Published says that a map was published in which slot s is row rowOf[s] (-1, or
// beyond its end: none).
func (s *Set) Published(rowOf []int32) {
	for p := range s.All() {
		s.row[p] = -1
		if at := s.slot[p]; at >= 0 && int(at) < len(rowOf) {
			s.row[p] = rowOf[at]
		}
	}
}

// Rebind says that the map begins again as it was published last, with row r at
// slots[r]: points that are not there have to be taken again, and rows without a
// point have to go. It returns how many points lie at each row.
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
