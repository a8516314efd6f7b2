package view

import (
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// renewedTogether is the number of points renewed in one call.
const renewedTogether = 8192

// Old holds points whose columns were computed with an earlier map than the one shown.
type Old struct {
	// X and Y are the points' places on the map that is shown.
	X, Y []float32
	// Value is each point's value in the category column, "" if missing. Version is the version of
	// the map that its columns were computed with.
	Value   []string
	Version []uint64
}

// Renewed holds new values for some of the points: Row has the indices of these points in Old, and
// Columns the values, one per index. Columns that the hub does not have are ignored.
type Renewed struct {
	Row     []int
	Columns []table.Column
}

// Renew recomputes the columns of all points that have values of a map before m, the map shown. It
// calls f with batches of these points, and with their values in the named column; f is called
// while others put and remove points. If another map is shown meanwhile, Renew stops without an
// error.
func (h *Hub) Renew(m MapState, column string, f func(Old) (Renewed, error)) error {
	for from := 0; ; {
		slots, old, more := h.old(m, column, &from)
		if !more {
			return nil
		}
		got, err := f(old)
		if err != nil {
			return err
		}
		h.renew(m, slots, old, got)
	}
}

// old returns the next points, from slot *from on, whose columns are of a map before m, and
// advances *from. It returns false if none are left.
func (h *Hub) old(m MapState, column string, from *int) (slots []uint32, old Old, more bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.ring
	if h.m != m {
		return nil, old, false
	}
	for ; *from < len(r.used) && len(slots) < renewedTogether; *from++ {
		if r.used[*from] && r.version[*from] < m.Version {
			slots = append(slots, uint32(*from))
		}
	}
	old = Old{X: vec.Pick(r.x, slots), Y: vec.Pick(r.y, slots), Version: vec.Pick(r.version, slots), Value: make([]string, len(slots))}
	if k := r.number(column); k != none && r.columns[k].Kind == Category {
		for i, s := range slots {
			old.Value[i], _ = r.columns[k].value(s).(string)
		}
	}
	return slots, old, len(slots) > 0
}

// renew stores new values, except for points that changed since old returned them.
func (h *Hub) renew(m MapState, slots []uint32, old Old, got Renewed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.ring
	if h.m != m {
		return
	}
	h.encoded.changes++
	still := func(i int) bool {
		s := slots[i]
		return int(s) < len(r.used) && r.used[s] && r.version[s] == old.Version[i] && r.x[s] == old.X[i] && r.y[s] == old.Y[i]
	}
	to := make([]int32, len(got.Row))
	for k, i := range got.Row {
		to[k] = none
		if still(i) {
			to[k] = int32(slots[i])
			h.touch(slots[i], Put)
		}
	}
	again := false
	for _, c := range got.Columns {
		if k := r.number(c.Name()); k != none {
			from := newSource(c, r.columns[k].Kind)
			again = !r.columns[k].fill(to, &from) || again
		}
	}
	for i, s := range slots {
		if still(i) {
			r.version[s] = m.Version
		}
	}
	if again {
		h.restart()
	}
}
