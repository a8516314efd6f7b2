package knn

import (
	"fmt"
	"math"
	"slices"

	"unfold/internal/quantile"
	"unfold/internal/simd"
	"unfold/internal/simd/hamming"
	"unfold/internal/simd/tile"
	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// DynamicExact searches a changing set of rows exactly, as Exact does for fixed rows. The caller
// chooses the numbered slot of each row. Empty slots cost memory below the highest one in use, but
// no time. A DynamicExact is not safe for concurrent use.
//
// Under the Euclidean distance it stores every row twice: unchanged in its slot, and packed for
// package tile in positions without gaps, where the last row replaces a removed one. Centre, scale
// and the order of the columns are chosen again when as many rows have been added as there were at
// the last choice. They affect the time of a search, not its result. Under other distances it
// stores only the rows, and for a distance of bits also the bits.
type DynamicExact struct {
	dim      int
	distance distance.Distance
	x        []float32 // slot by slot
	pos      []int32   // and its position among the packed rows, or -1
	slot     []int32   // of every position
	p        *packed   // nil while there are no rows, and under other distances
	bits     *slotBits // nil unless the distance is one of bits
	// left is the number of rows that may be added before all are packed again.
	left int
}

// leastRepack is the minimum number of added rows before all are packed again.
const leastRepack = 512

// NewDynamicExact returns an empty set of rows of a dimension, which must be at least 1, under a
// distance.
func NewDynamicExact(d distance.Distance, dim int) *DynamicExact {
	if dim < 1 {
		panic(fmt.Sprintf("knn: slots for rows of dimension %d", dim))
	}
	s := &DynamicExact{dim: dim, distance: d}
	if d.Bits() {
		s.bits = &slotBits{counts: d.Counts(), words: hamming.Words(dim)}
	}
	return s
}

// Len returns the number of rows.
func (s *DynamicExact) Len() int { return len(s.slot) }

// Top returns the lowest slot above all slots in use.
func (s *DynamicExact) Top() int { return len(s.pos) }

// Dim returns the dimension of the rows.
func (s *DynamicExact) Dim() int { return s.dim }

// Has reports whether a slot has a row.
func (s *DynamicExact) Has(slot int32) bool {
	return slot >= 0 && int(slot) < len(s.pos) && s.pos[slot] >= 0
}

// Row returns the row in a slot, which the caller must not change. It stays readable after Remove
// until another row is put.
func (s *DynamicExact) Row(slot int32) []float32 {
	at := int(slot) * s.dim
	return s.x[at : at+s.dim : at+s.dim]
}

// Bytes returns the memory of the set in bytes.
func (s *DynamicExact) Bytes() int64 {
	b := 4 * (cap(s.x) + cap(s.pos) + cap(s.slot))
	if s.p != nil {
		b += 4 * (cap(s.p.Data) + cap(s.p.Start) + cap(s.p.Tail))
	}
	if s.bits != nil {
		return int64(b) + s.bits.bytes()
	}
	return int64(b)
}

// Check returns the error that Put would return for these rows: for another dimension, a
// *ValueError if a value is not finite, or a *distance.DomainError if the distance is not defined for
// a value.
func (s *DynamicExact) Check(x vec.Matrix[float32], threads int) error {
	if x.Cols != s.dim {
		return fmt.Errorf("knn: rows of dimension %d among rows of dimension %d", x.Cols, s.dim)
	}
	return checkFor(s.distance, x, threads)
}

// Put copies the rows of x into empty slots, row r into slots[r]. If it returns an error it has
// changed nothing. It panics if a slot is not empty.
func (s *DynamicExact) Put(slots []int32, x vec.Matrix[float32], threads int) error {
	if len(slots) != x.Rows {
		return fmt.Errorf("knn: %d slots for %d rows", len(slots), x.Rows)
	}
	if err := s.Check(x, threads); err != nil {
		return err
	}
	if x.Rows == 0 {
		return nil
	}
	s.grow(int(slices.Max(slots))+1, len(s.slot)+x.Rows)
	from := len(s.slot)
	for r, slot := range slots {
		if s.pos[slot] >= 0 {
			panic(fmt.Sprintf("knn: slot %d is not empty", slot))
		}
		s.pos[slot] = int32(len(s.slot))
		s.slot = append(s.slot, slot)
		copy(s.Row(slot), x.Row(r))
		if s.bits != nil {
			s.bits.set(slot, x.Row(r))
		}
	}
	if s.distance != distance.Euclidean {
		return nil
	}
	if s.left -= x.Rows; s.left < 0 || s.p == nil {
		s.repack()
		return nil
	}
	s.load(from)
	return nil
}

// Remove empties slots. It panics if one is already empty.
func (s *DynamicExact) Remove(slots []int32) {
	for _, slot := range slots {
		hole, last := s.pos[slot], len(s.slot)-1
		if hole < 0 {
			panic(fmt.Sprintf("knn: slot %d is empty", slot))
		}
		s.slot[hole] = s.slot[last]
		s.pos[s.slot[hole]], s.pos[slot] = hole, -1
		s.slot = s.slot[:last]
		if s.p != nil {
			s.p.move(int(hole), last)
			s.p.N = last
		}
	}
	top := len(s.pos)
	for top > 0 && s.pos[top-1] < 0 {
		top--
	}
	s.pos = s.pos[:top]
}

// move copies the packed row at one position to another, and marks the first as vacant.
func (p *packed) move(to, from int) {
	a, b := p.Data[to/tile.Width*tile.Width*p.Dim+to%tile.Width:], p.Data[from/tile.Width*tile.Width*p.Dim+from%tile.Width:]
	for k := 0; k < p.Dim*tile.Width; k += tile.Width {
		a[k] = b[k]
	}
	p.Start[to], p.Tail[to] = p.Start[from], p.Tail[from]
	p.Start[from] = float32(math.Inf(-1))
}

// grow allocates slots below top and positions for n rows.
func (s *DynamicExact) grow(top, n int) {
	if more := top*s.dim - len(s.x); more > 0 {
		s.x = append(s.x, make([]float32, more)...)
	}
	for len(s.pos) < top {
		s.pos = append(s.pos, -1)
	}
	if s.bits != nil {
		s.bits.grow(top)
	}
	if s.p == nil {
		return
	}
	s.p.N = n
	panels := s.p.Count()
	if more := panels*tile.Width*s.dim - len(s.p.Data); more > 0 {
		s.p.Data = append(s.p.Data, make([]float32, more)...)
	}
	for len(s.p.Start) < panels*tile.Width {
		s.p.Start, s.p.Tail = append(s.p.Start, float32(math.Inf(-1))), append(s.p.Tail, 0)
	}
}

// load packs the rows from a position on.
func (s *DynamicExact) load(from int) {
	z := make([]float32, s.dim)
	for i := from; i < len(s.slot); i++ {
		start, tail := load(s.p, z, s.Row(s.slot[i]))
		s.p.Set(i, z, start, tail)
	}
}

// repack chooses the parameters of packing from a sample of the rows, and packs all rows.
func (s *DynamicExact) repack() {
	n := len(s.slot)
	s.left = max(n, leastRepack)
	sample := vec.New[float32](min(n, sampled), s.dim)
	for r := range sample.Rows {
		copy(sample.Row(r), s.Row(s.slot[r*n/sample.Rows]))
	}
	s.p = packAs(s.p, sample, n)
	s.load(0)
}

// packAs returns n vacant positions with parameters chosen for the sample, in the memory of old,
// which may be nil.
func packAs(old *packed, sample vec.Matrix[float32], n int) *packed {
	p := &packed{centre: centre(sample), level: simd.Best()}
	p.scale = usualScale(sample, p.centre)
	columns, prefix := byVariance(sample, p.centre, p.scale)
	p.columns = columns
	if old == nil {
		p.Panels = tile.NewPanels(n, sample.Cols, prefix)
		return p
	}
	p.Panels = old.Panels
	p.Prefix = prefix
	for i := range p.Start {
		p.Start[i] = float32(math.Inf(-1))
	}
	return p
}

// usualScale returns the power of two that scales the largest |x_ik - c_k| of a typical row to
// 1/2..1. Unlike the scale of all rows it does not depend on a single outlier: rows that are 2^30
// times as far are always computed exactly.
func usualScale(sample vec.Matrix[float32], centre []float64) float64 {
	most := make([]float64, sample.Rows)
	for i := range most {
		for k, v := range sample.Row(i) {
			most[i] = max(most[i], math.Abs(float64(v)-centre[k]))
		}
	}
	usual := quantile.Median(most) // it sorts
	if usual == 0 {
		usual = most[len(most)-1]
	}
	if usual == 0 {
		return 1
	}
	_, exp := math.Frexp(usual)
	return math.Ldexp(1, min(-exp, 400))
}
