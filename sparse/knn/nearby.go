package knn

import (
	"math"

	"unfold/internal/simd/dist"
	"unfold/internal/simd/tile"
	"unfold/internal/simd/topk"
	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// nearby finds which rows of some panels are to be measured for the lists of the nearest
// of these. A list begins with the rows of the k least lower bounds of distances
// in float32 (tile.LowerBounds); the distance of its last one says up to which bound there may
// be others. That is the nearest rows of these panels, at little more than k distances.
type nearby struct {
	stride int     // of the lines
	lower  []int32 // up to tile.Height lines of lower bounds, as integers in their order
	at     []int32 // positions in a line
	bound  int32   // the last call of least has found all below it
}

// furthest is the bound of places that fill up the last panel, +Inf.
const furthest = 0x7f800000

// newNearby returns a workspace for up to so many panels.
func newNearby(panels int) nearby {
	n := panels * tile.Width
	return nearby{lower: make([]int32, tile.Height*n), at: make([]int32, n)}
}

// compare makes the lower bounds of panels from..to of p for vectors first, ... of a: tile.Height
// of them, or that one alone.
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

// least returns the positions of the k least lower bounds and of some more, fewer if there are
// not so many rows. They are valid until the next call.
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

// more returns the positions that the last call of least, about the same lower bounds, has not:
// those of rows that may reach a threshold.
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

// measure writes to out the squared distances of q and the given rows of x.
func measure[T vec.Float](out []float64, q []T, x vec.Matrix[T], rows []int32) {
	if x, ok := any(x).(vec.Matrix[float32]); ok {
		dist.Exact(out, any(q).([]float32), x.Data, x.Cols, rows)
		return
	}
	for i, r := range rows {
		out[i] = vec.SquaredDistance(q, x.Row(int(r)))
	}
}

// chunkPanels returns how many panels a search begins with: as many as fit the
// second-level cache together with their lower bounds.
func chunkPanels(dim int) int {
	const bytes = 1 << 20
	return max(stripPanels(dim), bytes/(4*tile.Width*(dim+tile.Height)))
}
