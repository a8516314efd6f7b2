package view

import (
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models/prior"
)

// ComparedNeighbors is the number of nearest points on each map whose agreement is measured.
const ComparedNeighbors = 15

// LeastCommon is the least number of points on both maps for a comparison.
const LeastCommon = 3

// NoSlot is the slot of a point that is only on the other map.
const NoSlot = math.MaxUint32

// Title returns the title of the page.
func (h *Hub) Title() string { return h.set.Title }

// Compared is another map of the points of a hub.
type Compared struct {
	// Slot is the slot of each point of the other map, as messages number it, or NoSlot. ID, X and
	// Y are its id and place.
	Slot []uint32
	ID   []string
	X, Y []float32
	// Changed is the share of the point's nearest points on the hub's map, among the points on both
	// maps, that are not among the nearest on the other. It is NaN for points on one map only.
	Changed []float32
	// Common is the number of points on both maps, Neighbors the number of nearest ones.
	Common, Neighbors int
}

// Compare compares the hub's map with the map of another hub, by the points' ids. The other map is
// rotated, reflected, scaled and shifted so that it lies closest to this one. It returns an error
// if fewer than three points are on both.
func (h *Hub) Compare(ctx context.Context, other *Hub) (*Compared, error) {
	other.mu.Lock()
	slots := usedOf(other.ring.used, 0, len(other.ring.used))
	c := &Compared{ID: vec.Pick(other.ring.id, slots), X: vec.Pick(other.ring.x, slots), Y: vec.Pick(other.ring.y, slots)}
	other.mu.Unlock()
	c.Slot = make([]uint32, len(slots))
	h.mu.Lock()
	for i, id := range c.ID {
		c.Slot[i] = NoSlot
		if s, there := h.ring.find(id); there {
			c.Slot[i] = s
		}
	}
	x, y := slices.Clone(h.ring.x), slices.Clone(h.ring.y)
	h.mu.Unlock()
	if err := c.measure(ctx, x, y, true); err != nil {
		return nil, err
	}
	return c.numbered(h.set.Base), nil
}

// Common returns the number of points that are on the maps of both hubs.
func (h *Hub) Common(other *Hub) (n int) {
	other.mu.Lock()
	ids := vec.Pick(other.ring.id, usedOf(other.ring.used, 0, len(other.ring.used)))
	other.mu.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		if _, there := h.ring.find(id); there {
			n++
		}
	}
	return n
}

// numbered numbers slots as messages do.
func (c *Compared) numbered(base int) *Compared {
	for i, s := range c.Slot {
		if s != NoSlot {
			c.Slot[i] = s + uint32(base)
		}
	}
	return c
}

// measure computes Changed; x and y are the places on the hub's map by slot. If align is set, it
// moves the other map closest to the hub's.
func (c *Compared) measure(ctx context.Context, x, y []float32, align bool) error {
	var rows []int
	for i, s := range c.Slot {
		if s != NoSlot {
			rows = append(rows, i)
		}
	}
	c.Common, c.Neighbors = len(rows), min(ComparedNeighbors, len(rows)-1)
	if c.Common < LeastCommon {
		return fmt.Errorf("view: the maps have %d points in common, and a comparison needs %d", c.Common, LeastCommon)
	}
	hx, hy, ox, oy := make([]float32, len(rows)), make([]float32, len(rows)), make([]float32, len(rows)), make([]float32, len(rows))
	for k, i := range rows {
		hx[k], hy[k], ox[k], oy[k] = x[c.Slot[i]], y[c.Slot[i]], c.X[i], c.Y[i]
	}
	share, err := changed(ctx, hx, hy, ox, oy, c.Neighbors)
	if err != nil {
		return err
	}
	c.Changed = make([]float32, len(c.X))
	for i := range c.Changed {
		c.Changed[i] = float32(math.NaN())
	}
	for k, i := range rows {
		c.Changed[i] = share[k]
	}
	if align {
		c.align(hx, hy, ox, oy)
	}
	return nil
}

// align moves the other map closest to the hub's, whose common points are at (hx, hy).
func (c *Compared) align(hx, hy, ox, oy []float32) {
	turn, ok := prior.Similar(placesOf(ox, oy), placesOf(hx, hy))
	if !ok || turn.Scale <= 0 {
		return // all points of a map are at one place
	}
	all := placesOf(c.X, c.Y)
	turn.ApplyAll(all)
	for i := range c.X {
		c.X[i], c.Y[i] = float32(all.Row(i)[0]), float32(all.Row(i)[1])
	}
}

// placesOf returns places as rows.
func placesOf(x, y []float32) vec.Matrix[float64] {
	out := vec.New[float64](len(x), 2)
	for i := range x {
		out.Row(i)[0], out.Row(i)[1] = float64(x[i]), float64(y[i])
	}
	return out
}

// Encode returns the points as an Arrow stream with the columns slot, id, x, y and changed.
func (c *Compared) Encode() ([]byte, error) {
	t, err := table.NewTable(table.Origin{}, table.Uint32Column("slot", c.Slot), table.StringColumn("id", c.ID),
		table.Float32Column("x", c.X), table.Float32Column("y", c.Y), table.Float32Column("changed", c.Changed))
	if err != nil {
		return nil, fmt.Errorf("view: %w", err)
	}
	return emit.EncodeTable(t)
}
