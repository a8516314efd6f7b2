package view

import (
	"slices"

	"unfold/internal/vec"
)

// vectors are those of the points of some slots: the newest ones, as many as fit.
type vectors struct {
	room, dim int
	// x has a row of dim values for each vector, slot says whose it is, none for nobody's; row leads
	// there from the slot. Once there is no more room the row at next is the oldest.
	x    []float32
	slot []int32
	row  []int32
	next int
}

// newVectors makes room for vectors like those of x in so many bytes.
func newVectors(bytes int, x vec.Matrix[float32]) *vectors {
	return &vectors{room: bytes / (4*x.Cols + 8), dim: x.Cols}
}

// put takes the vector of a slot.
func (v *vectors) put(s uint32, x []float32) {
	if v.room == 0 {
		return
	}
	v.row = grown(v.row, int(s)+1, none)
	at := v.row[s]
	switch {
	case at != none:
	case len(v.slot) < v.room:
		at = int32(len(v.slot))
		v.slot, v.x = append(v.slot, none), append(v.x, x...)
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

// drop forgets the vector of a slot.
func (v *vectors) drop(s uint32) {
	if x := v.of(s); x != nil {
		clear(x)
		v.slot[v.row[s]], v.row[s] = none, none
	}
}

// of is the vector of a slot, nil if there is none.
func (v *vectors) of(s uint32) []float32 {
	if v == nil || int(s) >= len(v.row) || v.row[s] == none {
		return nil
	}
	at := int(v.row[s]) * v.dim
	return v.x[at : at+v.dim]
}

// keepVectors makes room for the vectors of a batch, other than those before if they have other
// lengths.
func (r *ring) keepVectors(bytes int, x vec.Matrix[float32]) bool {
	if bytes == 0 || x.Rows == 0 || x.Cols == 0 {
		return false
	}
	if r.vectors == nil || r.vectors.dim != x.Cols {
		r.vectors = newVectors(bytes, x)
	}
	return true
}

// Vector returns the vector of the point of an id, as it came with it: those of the newest points
// are known, as Settings.Vectors has it.
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
