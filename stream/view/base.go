package view

// Base holds the points that a map was learnt from. They are drawn below all others and have no
// columns.
type Base struct {
	// Keys identify the points across maps. X and Y are their places.
	Keys []uint64
	X, Y []float32
}

// base keeps the points of a Base in slots 0..size-1.
type base struct {
	size int
	x, y []float32
	slot map[uint64]uint32
	used []bool
	free []uint32
}

func newBase(size int) *base { return &base{size: size, slot: map[uint64]uint32{}} }

// replace makes b the points of the base. It returns the slots that were filled or moved, and those
// that became free. Points beyond the base's size are left out.
func (s *base) replace(b Base) (put, gone []uint32) {
	stays := make(map[uint64]uint32, len(b.Keys))
	for _, k := range b.Keys {
		if at, there := s.slot[k]; there {
			stays[k] = at
		}
	}
	for k, at := range s.slot {
		if _, there := stays[k]; !there {
			s.used[at] = false
			s.free, gone = append(s.free, at), append(gone, at)
		}
	}
	s.slot = stays
	for i, k := range b.Keys {
		if !finite(b.X[i], b.Y[i]) {
			continue
		}
		at, there := s.slot[k]
		if !there {
			var ok bool
			if at, ok = s.claim(); !ok {
				continue
			}
			s.slot[k] = at
		}
		if !there || s.x[at] != b.X[i] || s.y[at] != b.Y[i] {
			s.x[at], s.y[at], s.used[at] = b.X[i], b.Y[i], true
			put = append(put, at)
		}
	}
	return put, gone
}

// claim returns a free slot, if there is one.
func (s *base) claim() (uint32, bool) {
	if n := len(s.free); n > 0 {
		at := s.free[n-1]
		s.free = s.free[:n-1]
		return at, true
	}
	if len(s.x) == s.size {
		return 0, false
	}
	s.x, s.y, s.used = append(s.x, 0), append(s.y, 0), append(s.used, false)
	return uint32(len(s.x) - 1), true
}
