package view

import (
	"slices"

	"unfold/internal/vec"
)

// vectors keeps the vectors of the newest points, as many as the memory limit allows.
type vectors struct {
	room, dim int
	// all is set if there is room for the vectors of all points: the row of slot s is then s.
	all bool
	// x holds the vectors in rows of dim values. slot[i] is the slot of row i's point, or none;
	// row[s] is the row of slot s. When all rows are used, row next is the oldest.
	x    []float32
	slot []int32
	row  []int32
	next int
}

// newVectors returns an empty store for vectors of x's length, limited to this number of bytes, for
// points in size slots.
func newVectors(bytes int, x vec.Matrix[float32], size int) *vectors {
	room := bytes / (4*x.Cols + 8)
	return &vectors{room: room, dim: x.Cols, all: room >= size}
}

// put stores the vector of a slot.
func (v *vectors) put(s uint32, x []float32) {
	if v.room == 0 {
		return
	}
	v.row = grown(v.row, int(s)+1, none)
	at := v.row[s]
	switch {
	case at != none:
	case v.all:
		at = int32(s)
		v.slot, v.x = grown(v.slot, int(s)+1, none), grown(v.x, (int(s)+1)*v.dim, 0)
	case len(v.slot) < v.room:
		at = int32(len(v.slot))
		v.slot, v.x = append(v.slot, none), append(v.reserved(), x...)
	default:
		at = int32(v.next)
		if was := v.slot[at]; was != none {
			v.row[was] = none
		}
		v.next = (v.next + 1) % v.room
	}
	v.slot[at], v.row[s] = int32(s), at
	copy(v.x[int(at)*v.dim:], x)
}

// reserved returns x with room for another vector. Its capacity doubles up to the limit.
func (v *vectors) reserved() []float32 {
	if len(v.x) < cap(v.x) {
		return v.x
	}
	rows := min(max(2*len(v.slot), block), v.room)
	return slices.Grow(v.x, rows*v.dim-len(v.x))
}

// drop removes the vector of a slot.
func (v *vectors) drop(s uint32) {
	if x := v.of(s); x != nil {
		clear(x)
		v.slot[v.row[s]], v.row[s] = none, none
	}
}

// of returns the vector of a slot, nil if it is not stored.
func (v *vectors) of(s uint32) []float32 {
	if v == nil || int(s) >= len(v.row) || v.row[s] == none {
		return nil
	}
	at := int(v.row[s]) * v.dim
	return v.x[at : at+v.dim]
}

// keepVectors makes sure that vectors of this length can be stored. It discards stored ones of
// another length.
func (r *ring) keepVectors(bytes int, x vec.Matrix[float32]) bool {
	if bytes == 0 || x.Rows == 0 || x.Cols == 0 {
		return false
	}
	if r.vectors == nil || r.vectors.dim != x.Cols {
		r.vectors = newVectors(bytes, x, r.size)
	}
	return true
}

// Vector returns the feature vector of the point with this id. Only vectors of the newest points
// are kept, see Settings.Vectors.
func (h *Hub) Vector(id string) ([]float32, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, there := h.ring.find(id)
	if !there {
		return nil, false
	}
	x := slices.Clone(h.ring.vectors.of(s))
	return x, x != nil
}
