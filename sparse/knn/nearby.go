package knn

import (
	"unfold/internal/simd/codes"
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
	base   int     // the first panel
	stride int     // of the lines
	lower  []int32 // lines of lower bounds, as integers in their order
	at     []int32 // positions in a line
	bound  int32   // the last call of least has found all below it
	coded  bool    // the bounds are those of codes, otherwise bits of float32
}

// furthest is the bound of the padding in the last panel, +Inf.
const furthest = 0x7f800000

// newNearby returns a workspace for lower bounds of some vectors, a multiple of tile.Height, and up
// to the given number of panels.
func newNearby(panels, vectors int) nearby {
	n := panels * tile.Width
	return nearby{lower: make([]int32, vectors*n), at: make([]int32, n)}
}

// begin chooses panels from..to for the following calls.
func (c *nearby) begin(from, to int) { c.base, c.stride = from, (to-from)*tile.Width }

// to returns the lower bounds from a line and a panel on.
func (c *nearby) to(line, panel int) []int32 {
	return c.lower[line*c.stride+(panel-c.base)*tile.Width:]
}

// compare computes the lower bounds between panels from..to of p and the vectors of a from first
// on, tile.Height of them or only the first. Their lines begin with the given one.
func (c *nearby) compare(p *packed, a *tile.Panels, first int, alone bool, line, from, to int) {
	c.coded = false
	if alone {
		tile.LowerBoundsRow(p.level, c.to(line, from), a, first, p.Panels, from, to)
	} else {
		tile.LowerBounds(p.level, c.to(line, from), c.stride, a, first, p.Panels, from, to)
	}
}

// compareCodes is compare for codes.
func (c *nearby) compareCodes(p *coded, a *codes.Left, line, from, to int) {
	c.coded = true
	codes.Bounds(p.level, c.to(line, from), c.stride, a, p.Panels, from, to)
}

// of returns the lower bounds in a line.
func (c *nearby) of(r int) []int32 { return c.lower[r*c.stride:][:c.stride] }

// least returns the positions of the k smallest lower bounds and of a few more, or of all rows if
// there are fewer. The result is valid until the next call.
func (c *nearby) least(lower []int32, k int) []int32 {
	const one, quarter = 0x3f800000, 1 << 21 // the bound 1, and about a quarter more or less
	guess := topk.Range{High: furthest, First: c.bound, Step: quarter}
	if c.coded {
		guess.High, guess.Step = -2*codes.Lowest, 1+c.bound/4
	}
	switch {
	case guess.First == 0 && c.coded:
		guess.First, guess.Step = 1<<20, 1<<20
	case guess.First == 0:
		guess.First = one
	}
	var found int
	found, c.bound = topk.Least(c.at, lower, k, guess)
	return c.at[:found]
}

// more returns the positions of further rows whose lower bounds are at most a limit, without those
// of the last call of least, which had the same lower bounds.
func (c *nearby) more(lower []int32, limit int32) []int32 {
	bound := limit + 1
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

// measure writes to out the squared distances between q and the given rows of x.
func measure[T vec.Float](out []float64, q []T, x vec.Matrix[T], rows []int32) {
	distance.Exact(distance.Euclidean, out, q, x.Data, x.Cols, rows)
}

// chunkPanels returns the number of panels in the first chunk of a search: as many as fit in the
// second-level cache with the lower bounds of tile.Height queries.
func chunkPanels(dim int) int {
	const bytes = 1 << 20
	return max(stripPanels(dim), bytes/(4*tile.Width*(dim+tile.Height)))
}
