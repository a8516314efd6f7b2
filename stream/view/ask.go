package view

import (
	"math"
	"slices"
)

// Map returns the state of the map that is shown.
func (h *Hub) Map() MapState {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.m
}

// Columns are the columns of the points.
func (h *Hub) Columns() []Field {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := []Field{}
	for _, c := range h.ring.columns {
		out = append(out, c.Field)
	}
	return out
}

// Point is a point with its values, as returned for an id.
type Point struct {
	ID string  `json:"id"`
	X  float32 `json:"x"`
	Y  float32 `json:"y"`
	At float64 `json:"at,omitempty"` // milliseconds since 1970
	// Map is the map that X and Y belong to.
	Map MapState `json:"map"`
	// Values holds the values of the point's columns by name, each a string or a float64 (times in
	// milliseconds since 1970; the exact text where a float64 would round). Missing values are left
	// out.
	Values map[string]any `json:"values"`
}

// Near is a neighbor of a point, with their distance on the map.
type Near struct {
	ID       string  `json:"id"`
	Distance float64 `json:"distance"`
}

// Point returns the point with this id, and the k points nearest to it on the map, nearest first.
func (h *Hub) Point(id string, k int) (p Point, near []Near, there bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.ring
	s, there := r.find(id)
	if !there {
		return p, nil, false
	}
	p = Point{ID: id, X: r.x[s], Y: r.y[s], At: r.at[s], Map: h.m, Values: map[string]any{}}
	for _, c := range r.columns {
		if v := c.value(s); v != nil {
			p.Values[c.Name] = v
		}
	}
	near = []Near{}
	for o, used := range r.used {
		if !used || uint32(o) == s || k <= 0 {
			continue
		}
		d := math.Hypot(float64(r.x[o]-p.X), float64(r.y[o]-p.Y))
		if len(near) == k && d >= near[k-1].Distance {
			continue
		}
		at, _ := slices.BinarySearchFunc(near, d, func(n Near, d float64) int {
			if n.Distance <= d {
				return -1
			}
			return 1
		})
		near = slices.Insert(near, at, Near{r.id[o], d})
		near = near[:min(len(near), k)]
	}
	return p, near, true
}

// value returns the value of a slot, nil if it is missing.
func (c *column) value(s uint32) any {
	switch c.Kind {
	case Category:
		if code := c.codes[s]; code > 0 {
			return c.values[code-1]
		}
	case Text:
		if c.texts[s] != "" {
			return c.texts[s]
		}
	default:
		if v := c.numbers[s]; v-v == 0 {
			if c.Exact && (c.texts[s] != "" || beyondExact(v)) {
				return c.exactly(s)
			}
			return v
		}
	}
	return nil
}
