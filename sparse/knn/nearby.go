package knn

import (
	"math"

	"unfold/internal/simd/dist"
	"unfold/internal/simd/tile"
	"unfold/internal/simd/topk"
	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// nearby finds the rows of some panels that must be computed exactly for lists of the nearest of
// them. A list starts with the rows of the k smallest lower bounds of distances in float32
// (tile.LowerBounds). The distance of its last entry then limits the bounds of the other rows to
// compute. This gives the nearest rows of these panels for little more than k distances.
type nearby struct {
	stride int     // of the lines
	lower  []int32 // up to tile.Height lines of lower bounds, as integers in their order
	at     []int32 // positions in a line
	bound  int32   // the last call of least has found all below it
}

// furthest is the bound of the padding in the last panel, +Inf.
const furthest = 0x7f800000

// newNearby returns a workspace for up to the given number of panels.
func newNearby(panels int) nearby {
	n := panels * tile.Width
	return nearby{lower: make([]int32, tile.Height*n), at: make([]int32, n)}
}

// compare computes the lower bounds between panels from..to of p and the vectors of a from first
// on: tile.Height of them, or only the first.
func (c *nearby) compare(p *packed, a *tile.Panels, first int, alone bool, from, to int) {
	c.stride = (to - from) * tile.Width
	if alone {
		tile.LowerBoundsRow(p.level, c.lower, a, first, p.Panels, from, to)
	} else {
		tile.LowerBounds(p.level, c.lower, c.stride, a, first, p.Panels, from, to)
	}
}

// of returns the lower bounds for vector first+r of the last call of compare.
func (c *nearby) of(r int) []int32 { return c.lower[r*c.stride:][:c.stride] }

// least returns the positions of the k smallest lower bounds and of a few more, or of all rows if
// there are fewer. The result is valid until the next call.
func (c *nearby) least(lower []int32, k int) []int32 {
	const one, quarter = 0x3f800000, 1 << 21 // the bound 1, and about a quarter more or less
	guess := topk.Range{High: furthest, First: c.bound, Step: quarter}
	if guess.First == 0 {
		guess.First = one
	}
	var found int
	found, c.bound = topk.Least(c.at, lower, k, guess)
	return c.at[:found]
}

// more returns the positions of further rows that may reach a threshold, without those of the last
// call of least, which had the same lower bounds.
func (c *nearby) more(lower []int32, threshold float32) []int32 {
	bound := int32(math.Float32bits(-threshold)) + 1
	if bound <= c.bound {
		return nil
	}
	n := 0
	for _, at := range c.at[:topk.Below(c.at, lower, bound)] {
		if lower[at] >= c.bound {
			c.at[n] = at
			n++
		}
	}
	return c.at[:n]
}

// measureBy is measure under a distance.
func measureBy[T vec.Float](d distance.Distance, out []float64, q []T, x vec.Matrix[T], rows []int32) {
	if d == distance.Euclidean {
		measure(out, q, x, rows)
		return
	}
	for i, r := range rows {
		out[i] = distance.Between(d, q, x.Row(int(r)))
	}
}

// measure writes to out the squared distances between q and the given rows of x.
func measure[T vec.Float](out []float64, q []T, x vec.Matrix[T], rows []int32) {
	if x, ok := any(x).(vec.Matrix[float32]); ok {
		dist.Exact(out, any(q).([]float32), x.Data, x.Cols, rows)
		return
	}
	for i, r := range rows {
		out[i] = vec.SquaredDistance(q, x.Row(int(r)))
	}
}

// chunkPanels returns the number of panels in the first chunk of a search: as many as fit in the
// second-level cache with their lower bounds.
func chunkPanels(dim int) int {
	const bytes = 1 << 20
	return max(stripPanels(dim), bytes/(4*tile.Width*(dim+tile.Height)))
}
