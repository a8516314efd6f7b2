package view

import (
	"context"
	"slices"
	"time"

	"unfold/internal/vec"
)

// pastBytes bounds the memory for places of points on earlier versions of the map, pastPoint is
// that of a point.
const (
	pastBytes = 24 << 20
	pastPoint = 12
)

// mostWays bounds the versions whose centres of categories are kept, mostValues the values of a
// column with centres.
const (
	mostWays   = 400
	mostValues = 256
)

// Version is an earlier version of the map whose places are kept.
type Version struct {
	Map MapState `json:"map"`
	// At is the time when the next version replaced it, in milliseconds since 1970.
	At float64 `json:"at"`
	// Points is the number of its points that are still shown, 0 if they were not counted.
	Points int `json:"points,omitempty"`
}

// past holds places on an earlier version, by slot. The point in a slot is another one if its
// serial number is different now.
type past struct {
	m      MapState
	at     time.Time
	x, y   []float32
	serial []uint32
}

// remember keeps the places on the map that is about to be replaced. The lock must be held.
func (h *Hub) remember(now time.Time) {
	r := h.ring
	if r.n == 0 || h.m == (MapState{}) {
		return
	}
	serial := slices.Clone(r.serial)
	for s := range serial {
		if !r.used[s] {
			serial[s] = 0
		}
	}
	h.past = append(h.past, past{h.m, now, slices.Clone(r.x), slices.Clone(r.y), serial})
	for h.pastSize() > pastBytes && len(h.past) > 1 {
		k := thinnest(len(h.past), func(i int) time.Duration { return now.Sub(h.past[i].at) })
		h.past = slices.Delete(h.past, k, k+1)
	}
}

func (h *Hub) pastSize() (bytes int) {
	for _, p := range h.past {
		bytes += pastPoint * len(p.x)
	}
	return bytes
}

// thinnest returns the entry to drop of n entries, oldest first, with the given ages: the one
// whose neighbours' ages differ least in proportion. So the kept ages grow geometrically, and the
// newest and the oldest entries stay.
func thinnest(n int, age func(i int) time.Duration) int {
	best, least := 0, 0.0
	for i := 1; i < n-1; i++ {
		gap := float64(age(i-1)+time.Second) / float64(age(i+1)+time.Second)
		if best == 0 || gap < least {
			best, least = i, gap
		}
	}
	return best
}

// Versions returns the earlier versions of the map that can be compared with the present one, the
// newest first.
func (h *Hub) Versions() []Version {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := []Version{}
	for _, p := range slices.Backward(h.past) {
		n := 0
		for s, serial := range p.serial {
			if serial != 0 && serial == h.ring.serial[s] && h.ring.used[s] {
				n++
			}
		}
		if n >= LeastCommon {
			out = append(out, Version{Map: p.m, At: float64(p.at.UnixMilli()), Points: n})
		}
	}
	return out
}

// CompareVersion compares the map with an earlier version of it. It returns false if the places on
// that version are not kept.
func (h *Hub) CompareVersion(ctx context.Context, version uint64) (c *Compared, known bool, err error) {
	h.mu.Lock()
	i := slices.IndexFunc(h.past, func(p past) bool { return p.m.Version == version })
	if i < 0 {
		h.mu.Unlock()
		return nil, false, nil
	}
	p, c := h.past[i], &Compared{}
	for s, serial := range p.serial {
		if serial != 0 && serial == h.ring.serial[s] && h.ring.used[s] {
			c.Slot = append(c.Slot, uint32(s))
		}
	}
	c.ID, c.X, c.Y = vec.Pick(h.ring.id, c.Slot), vec.Pick(p.x, c.Slot), vec.Pick(p.y, c.Slot)
	x, y := slices.Clone(h.ring.x), slices.Clone(h.ring.y)
	h.mu.Unlock()
	if err := c.measure(ctx, x, y, false); err != nil {
		return nil, true, err
	}
	return c.numbered(h.set.Base), true, nil
}

// Way is the way of a category through the versions of the map: the centre of its points on each,
// nil on a version without points of it.
type Way struct {
	Value  string        `json:"value"`
	Places []*[2]float32 `json:"places"`
}

// centres holds the last centres of the categories on a version, by column and code.
type centres struct {
	m  MapState
	at time.Time
	of map[string][]*[2]float32
}

// centre keeps the centres on the map that is about to be replaced. The lock must be held.
func (h *Hub) centre(now time.Time) {
	if h.ring.n == 0 || h.m == (MapState{}) {
		return
	}
	h.ways = append(h.ways, h.centres(now))
	if len(h.ways) > mostWays {
		k := thinnest(len(h.ways), func(i int) time.Duration { return now.Sub(h.ways[i].at) })
		h.ways = slices.Delete(h.ways, k, k+1)
	}
}

// centres returns the centres of the present points of each category. The lock must be held.
func (h *Hub) centres(now time.Time) centres {
	out := centres{h.m, now, map[string][]*[2]float32{}}
	r := h.ring
	for _, c := range r.columns {
		if c.Kind != Category || len(c.values) > mostValues {
			continue
		}
		n, sx, sy := make([]float64, len(c.values)+1), make([]float64, len(c.values)+1), make([]float64, len(c.values)+1)
		for s, used := range r.used {
			if code := c.codes[s]; used && code > 0 {
				n[code], sx[code], sy[code] = n[code]+1, sx[code]+float64(r.x[s]), sy[code]+float64(r.y[s])
			}
		}
		at := make([]*[2]float32, len(c.values))
		for code := 1; code < len(n); code++ {
			if n[code] > 0 {
				at[code-1] = &[2]float32{float32(sx[code] / n[code]), float32(sy[code] / n[code])}
			}
		}
		out.of[c.Name] = at
	}
	return out
}

// Ways returns the ways of the values of a column of categories through the versions of the map,
// oldest first. The last version is the present one. Other columns have no ways.
func (h *Hub) Ways(column string) (versions []Version, ways []Way) {
	h.mu.Lock()
	defer h.mu.Unlock()
	k := h.ring.number(column)
	if k == none || h.ring.columns[k].Kind != Category {
		return []Version{}, []Way{}
	}
	now := h.centres(time.Now())
	all := append(slices.Clone(h.ways), now)
	versions, ways = make([]Version, len(all)), make([]Way, len(now.of[column]))
	for i, v := range h.ring.columns[k].values[:len(ways)] {
		ways[i] = Way{v, make([]*[2]float32, len(all))}
	}
	for i, c := range all {
		versions[i] = Version{Map: c.m, At: float64(c.at.UnixMilli())}
		for j, at := range c.of[column] {
			ways[j].Places[i] = at
		}
	}
	return versions, ways
}
