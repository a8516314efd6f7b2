package view

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"unfold/ingest/emit"
)

// ClassShare is the probability of a class.
type ClassShare struct {
	Class       string  `json:"class"`
	Probability float64 `json:"probability"`
}

// Uncertain is a point with the probabilities of its likeliest classes, and the entropy of all, in
// nats.
type Uncertain struct {
	ID      string       `json:"id"`
	X       float32      `json:"x"`
	Y       float32      `json:"y"`
	At      float64      `json:"at,omitempty"` // milliseconds since 1970
	Entropy float64      `json:"entropy"`
	Classes []ClassShare `json:"classes"`
}

// Uncertain returns the n points whose class has the largest entropy, largest first and among equal
// ones the newest. It returns none if the points have no column of entropies. Points without an id
// are omitted. So are points with a label (Settings.Label), because no label is needed for them.
func (h *Hub) Uncertain(n int) []Uncertain {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.ring
	entropy, class, probability, label := r.column(emit.ClassEntropyName), r.column(emit.ClassName), r.column(emit.ClassProbabilityName), r.column(h.set.Label)
	found := []uint32{}
	if entropy == nil || n <= 0 {
		return []Uncertain{}
	}
	order := func(a, b uint32) int {
		return cmp.Or(cmp.Compare(entropy.number(b), entropy.number(a)), cmp.Compare(r.at[b], r.at[a]), cmp.Compare(a, b))
	}
	for s, used := range r.used {
		slot := uint32(s)
		if !used || r.id[s] == "" || label != nil && label.value(slot) != nil {
			continue
		}
		if v := entropy.number(slot); v-v != 0 || len(found) == n && order(slot, found[n-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(found, slot, order)
		found = slices.Insert(found, at, slot)
		found = found[:min(n, len(found))]
	}
	out := make([]Uncertain, len(found))
	for i, s := range found {
		out[i] = Uncertain{ID: r.id[s], X: r.x[s], Y: r.y[s], At: r.at[s], Entropy: entropy.number(s), Classes: []ClassShare{}}
		if class == nil || probability == nil {
			continue
		}
		name, is := class.value(s).(string)
		if p := probability.number(s); is && p-p == 0 {
			out[i].Classes = append(out[i].Classes, ClassShare{name, p})
		}
	}
	return out
}

// column returns the column of a name, nil if there is none.
func (r *ring) column(name string) *column {
	for _, c := range r.columns {
		if name != "" && c.Name == name {
			return c
		}
	}
	return nil
}

// number returns the value of a slot as a number, NaN if it is none: whole numbers may be held as
// categories.
func (c *column) number(s uint32) float64 {
	switch v := c.value(s).(type) {
	case float64:
		return v
	case string:
		if n, err := strconv.ParseFloat(v, 64); err == nil {
			return n
		}
	}
	return math.NaN()
}
