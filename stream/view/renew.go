package view

import (
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// renewedTogether is how many points are renewed at a time.
const renewedTogether = 8192

// Old are points whose columns are of an earlier map than the one that is shown.
type Old struct {
	// X and Y are their places on the map that is shown.
	X, Y []float32
	// Value is what they have in a column of categories, "" where it is missing, and Version the
	// version of the map by which it is.
	Value   []string
	Version []uint64
}

// Renewed are new values of some of the points: the row of each among the old ones, and columns of
// as many values. Columns that the hub does not have are left out.
type Renewed struct {
	Row     []int
	Columns []table.Column
}

// Renew gives the points whose columns are of a map before m, the one that is shown, the values that
// f returns, so that they are of m. f gets some of the points at a time, with what they have in the
// column of that name, and is called while others put and remove points. It ends without an error
// when another map is shown.
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

// old lists the next points whose columns are of a map before m, from a slot on, and moves that from
// behind them. It reports false if there are none.
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

// renew stores new values, except for points that have changed since they were listed.
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
