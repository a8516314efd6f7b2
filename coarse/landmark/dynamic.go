package landmark

import (
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/sparse/graph"
)

// Dynamic maintains the groups of a changing set of points at any level, which New finds by
// choosing landmarks and searching for the nearest. A point is named by its slot, a small number
// that the caller chooses. A Dynamic is not safe for concurrent use. The package comment has the
// rule for landmarks and the cost of changes.
type Dynamic struct {
	settings Settings
	x        vec.Matrix[float32] // by slot
	root     *part
	apart    []float64 // workspace, by slot
}

// NewDynamic returns an empty Dynamic for rows of dim values. Settings.Choose is ignored.
func NewDynamic(dim int, s Settings) (*Dynamic, error) {
	switch {
	case dim < 1:
		return nil, fmt.Errorf("coarse: dimension %d, want 1 or more", dim)
	case s.Level < 0:
		return nil, fmt.Errorf("coarse: level %d, want 0 or more", s.Level)
	case s.Choose != nil:
		return nil, fmt.Errorf("coarse: landmarks of points that come and go cannot be chosen")
	}
	return &Dynamic{settings: s, x: vec.Matrix[float32]{Cols: dim}, root: newPart(1, s.Seed, -1, false)}, nil
}

// Len returns the number of points.
func (d *Dynamic) Len() int { return len(d.root.nodes) }

// Slots returns the slots in use, ascending. The caller must not change the list, which is valid
// until the next change.
func (d *Dynamic) Slots() []int32 { return d.root.nodes }

// Has reports whether there is a point in a slot.
func (d *Dynamic) Has(slot int32) bool {
	_, found := slices.BinarySearch(d.root.nodes, slot)
	return found
}

// Landmarks returns the slots of the landmarks of the first coarse-graining, ascending; nil for
// fewer than three points. The caller must not change the list.
func (d *Dynamic) Landmarks() []int32 { return d.root.landmarks }

// Bytes returns the memory of points and groups in bytes.
func (d *Dynamic) Bytes() int64 { return int64(4*cap(d.x.Data)+8*cap(d.apart)) + d.root.bytes() }

// Insert adds copies of the rows of x, row r in slots[r]. Low slots should be used first, because
// memory is allocated up to the largest.
//
// It returns an error and changes nothing if the shape of x is wrong, a value is not finite, a slot
// is in use or occurs twice, or ctx has ended.
func (d *Dynamic) Insert(ctx context.Context, slots []int32, x vec.Matrix[float32]) error {
	if len(slots) != x.Rows || x.Rows > 0 && x.Cols != d.x.Cols {
		return fmt.Errorf("coarse: insert: %d slots for %d rows of dimension %d, want %d", len(slots), x.Rows, x.Cols, d.x.Cols)
	}
	join, err := d.named(slots, false)
	if err != nil {
		return fmt.Errorf("coarse: insert: %w", err)
	}
	for r := range slots {
		for c, v := range x.Row(r) {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				return fmt.Errorf("coarse: insert: row %d, column %d is %v", r, c, v)
			}
		}
	}
	if err := ctx.Err(); err != nil || len(slots) == 0 {
		return err
	}
	if top := int(join[len(join)-1]) + 1; top > d.x.Rows {
		d.x.Data = append(d.x.Data, make([]float32, (top-d.x.Rows)*d.x.Cols)...)
		d.x.Rows = top
	}
	for r, slot := range slots {
		copy(d.x.Row(int(slot)), x.Row(r))
	}
	return d.change(ctx, nil, join)
}

// Delete removes points. It returns an error and changes nothing if a slot is empty or occurs
// twice, or ctx has ended.
func (d *Dynamic) Delete(ctx context.Context, slots []int32) error {
	leave, err := d.named(slots, true)
	if err != nil {
		return fmt.Errorf("coarse: delete: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.change(ctx, leave, nil)
}

// change removes and adds points. Once begun it cannot be cancelled.
func (d *Dynamic) change(ctx context.Context, leave, join []int32) error {
	return d.root.change(context.WithoutCancel(ctx), d, leave, join)
}

// named returns the slots in ascending order. It returns an error unless all are in use (or none,
// if used is false) and none occurs twice.
func (d *Dynamic) named(slots []int32, used bool) ([]int32, error) {
	sorted := slices.Clone(slots)
	slices.Sort(sorted)
	for k, slot := range sorted {
		switch {
		case slot < 0:
			return nil, fmt.Errorf("slot %d", slot)
		case k > 0 && sorted[k-1] == slot:
			return nil, fmt.Errorf("slot %d is named twice", slot)
		case used && !d.Has(slot):
			return nil, fmt.Errorf("no point in slot %d", slot)
		case !used && d.Has(slot):
			return nil, fmt.Errorf("there is a point in slot %d", slot)
		}
	}
	return sorted, nil
}

// Pairs returns the constants of the likelihood for the current points, in ascending slot order,
// with their neighbourhood graph g. They equal those of New, bit for bit, if New chooses the same
// landmarks (Choose). No distance to a landmark is computed.
func (d *Dynamic) Pairs(ctx context.Context, g *graph.Graph) (*Pairs, error) {
	if g.N != d.Len() {
		return nil, fmt.Errorf("coarse: %d points, but a graph of %d", d.Len(), g.N)
	}
	rank, position := d.ranks(), make([]int32, d.x.Rows)
	s := d.settings
	find := func(ctx context.Context, _ int, blk *block) (*cut, error) {
		if blk.part == nil {
			return nil, nil
		}
		return blk.part.cut(rank, position), nil
	}
	return build(ctx, g, &coarsener{s: &s, find: find, root: d.root})
}

// ranks returns for every slot in use the number of lower slots in use.
func (d *Dynamic) ranks() []int32 {
	rank := make([]int32, d.x.Rows)
	for r, slot := range d.root.nodes {
		rank[slot] = int32(r)
	}
	return rank
}

// cut returns the division of the part, by ranks, and writes the positions of its landmarks to
// position.
func (p *part) cut(rank, position []int32) *cut {
	if p.landmarks == nil {
		return nil
	}
	k := &cut{landmarks: ranked(p.landmarks, rank), of: make([]int32, len(p.nodes)), dist2: p.dist2, top: p.top}
	for a, slot := range p.landmarks {
		position[slot] = int32(a)
		if p.groups != nil {
			k.groups = append(k.groups, p.groups[slot])
		}
	}
	for u, slot := range p.of {
		k.of[u] = position[slot]
	}
	return k
}

func ranked(slots, rank []int32) []int32 {
	out := make([]int32, len(slots))
	for k, slot := range slots {
		out[k] = rank[slot]
	}
	return out
}

// Choose returns the landmarks of a group, with points named by their ranks. As Settings.Choose it
// makes New choose the same landmarks. It returns nil if there is no such group.
func (d *Dynamic) Choose(g Group) []int32 {
	return d.root.choose(&g, d.ranks())
}

func (p *part) choose(g *Group, rank []int32) []int32 {
	if p == nil || len(p.nodes) < len(g.Nodes) {
		return nil
	}
	if p.level == g.Level && slices.Equal(ranked(p.nodes, rank), g.Nodes) {
		return ranked(p.landmarks, rank)
	}
	if found := p.top.choose(g, rank); found != nil {
		return found
	}
	for _, group := range p.groups {
		if found := group.choose(g, rank); found != nil {
			return found
		}
	}
	return nil
}
