package knn

import (
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/knn/vafile"
)

// grid rounds rows to coarse vectors of small integers.
//
// The coarse vector of a row has z_i in its leading columns, followed by the norm of z_i in all
// others. By the triangle inequality such vectors are not farther apart than the z. Clipping both
// to the same box does not increase the distance either, since that is a projection onto a convex
// set. Rounding to multiples of unit for rows, and of unit/2 for queries, moves them by at most e_j
// and e_q. So
//
//	a |x_i - x_j| >= |q - x_j| - e_q - e_j
//
// where q and x_j are the rounded vectors, whose distance is computed without error.
type grid struct {
	p       *packed
	dims    int     // of a coarse vector
	columns int     // the leading ones, a prefix of packed.columns
	middle  float64 // of the norms of the rest
	unit    float64
	per     float64 // 1/unit
	error   float64 // at least e_j, of any row
}

const (
	middle = 64 // of the numbers 0..127 of a row
	// slack bounds, in units, the float64 rounding errors of coarse vectors. These are m 2^-53 of
	// at most 2^13 units for m <= maxDim, as the leading columns have half of the variance of at
	// most 1001 rows, and a unit is at least a 63rd of them.
	slack = 0x1p-20
	// open is the limit that all rows pass, except the padding of blocks.
	open = 1 << 28
)

// newGrid returns the grid for coarse vectors of the given length, or nil if their leading columns
// have less than half of the variance.
func newGrid[T vec.Float](x vec.Matrix[T], p *packed, dims int) *grid {
	g := &grid{p: p, dims: dims, columns: min(x.Cols, dims-1)}
	z := make([]float64, dims)
	var norms []float64
	var leading, rest, most float64
	count := min(x.Rows, sampled)
	for s := range count {
		coarse(g, z, x.Row(s*x.Rows/count))
		for _, v := range z[:g.columns] {
			leading += v * v
			most = max(most, math.Abs(v))
		}
		norm := z[dims-1]
		rest += norm * norm
		norms = append(norms, norm)
	}
	if count == 0 || leading < rest || x.Cols > maxDim {
		return nil
	}
	low, high := slices.Min(norms), slices.Max(norms)
	g.middle = (low + high) / 2
	g.unit = max(most, (high-low)/2, 0x1p-100) / (middle - 1)
	g.per = 1 / g.unit
	return g
}

// coarse sets z to the coarse vector of a row before clipping.
func coarse[T vec.Float](g *grid, z []float64, row []T) {
	p := g.p
	clear(z[g.columns:])
	for k, c := range p.columns[:g.columns] {
		z[k] = (float64(row[c]) - p.centre[c]) * p.scale
	}
	var rest float64
	for _, c := range p.columns[g.columns:] {
		v := (float64(row[c]) - p.centre[c]) * p.scale
		rest += v * v
	}
	z[g.dims-1] = math.Sqrt(rest) - g.middle
}

// clip returns v in units, within the box.
func (g *grid) clip(v float64) float64 {
	return min(max(v*g.per, -middle), vafile.Largest-middle)
}

// row rounds z to the integers of a row and returns their squared norm and the square of the
// rounding error, in units.
func (g *grid) row(bytes []uint8, z []float64) (norm int32, e2 float64) {
	for k, v := range z {
		v = g.clip(v)
		u := math.RoundToEven(v)
		e2 += (v - u) * (v - u)
		norm += int32(u) * int32(u)
		bytes[k] = uint8(int(u) + middle)
	}
	return norm, e2
}

// bound converts the square of a rounding error to a length before scaling to units.
func (g *grid) bound(e2 float64) float64 { return (math.Sqrt(e2)*(1+slack) + slack) * g.unit }

// coarseQuery has the constants that convert a distance to a limit for approx. With the rows
// X = x - middle and the query Q in half units, approx compares |X|^2 - Q x:
//
//	4 |q - x_j|^2 = |Q|^2 + 4 (|X|^2 - Q x + middle sum(Q)) units^2.
type coarseQuery struct {
	norm  float64 // |Q|^2
	sum   float64 // of Q
	error float64 // e_q + e_j
}

// query rounds z to q.
func (g *grid) query(q []int8, z []float64) (c coarseQuery) {
	var e2 float64
	for k, v := range z {
		v = 2 * g.clip(v)
		u := math.RoundToEven(v)
		e2 += (v - u) * (v - u) / 4
		q[k] = int8(u)
		c.norm += u * u
		c.sum += u
	}
	c.error = g.bound(e2) + g.error
	return c
}

// limit returns the largest comparison value of any row whose squared distance, before scaling, is
// at most dist2.
func (g *grid) limit(c *coarseQuery, dist2 float64) int32 {
	r := 2 * (math.Sqrt(dist2)*g.p.scale*(1+slack) + c.error) / g.unit
	l := (r*r*(1+slack)-c.norm)/4 - middle*c.sum + 1
	if !(l < open) {
		return open
	}
	return int32(l) // not below -2^22, as |Q|^2 <= 2^20 and |sum(Q)| <= 2^13
}

// sketch has two coarse vectors of every row, in the rows' own order: the filters of the search for
// a single query (a VA-file, see package vafile).
type sketch struct {
	coarse, fine *grid
	rows         *vafile.Rows
	wide         *vafile.Wide
}

// sketchBytes is the size of the panels, in bytes, from which a sketch pays. Smaller panels stay in
// the second-level cache, where a scan takes less time than two filters: with 12,000 rows of 50
// values (2.4 MB), placing an event takes 1.45 times as long with a sketch. With 60,000 rows, a
// sketch takes 0.4 of the time of a scan for the neighbours of a single row
// (docs/decisions/search.md).
const sketchBytes = 4 << 20

// newSketch returns the sketch of the rows of x, or nil if their leading columns have too little of
// the variance.
func newSketch[T vec.Float](x vec.Matrix[T], p *packed, threads int) *sketch {
	s := &sketch{coarse: newGrid(x, p, vafile.Dims), fine: newGrid(x, p, vafile.WideDims)}
	if s.coarse == nil || s.fine == nil {
		return nil
	}
	s.rows, s.wide = vafile.NewRows(x.Rows), vafile.NewWide(x.Rows)
	const size = 32 * vafile.Width
	largest := make([][2]float64, par.Pieces(x.Rows, size))
	par.Ranges(threads, x.Rows, size, func(piece, from, to int) {
		var fine [vafile.WideDims]float64
		var few [vafile.Dims]float64
		var bytes [vafile.WideDims]uint8
		for i := from; i < to; i++ {
			coarse(s.fine, fine[:], x.Row(i))
			norm, e2 := s.fine.row(bytes[:], fine[:])
			s.wide.Set(i, &bytes, norm)
			largest[piece][1] = max(largest[piece][1], e2)
			s.shorten(&few, &fine)
			norm, e2 = s.coarse.row(bytes[:vafile.Dims], few[:])
			s.rows.Set(i, (*[vafile.Dims]uint8)(bytes[:]), norm)
			largest[piece][0] = max(largest[piece][0], e2)
		}
	})
	for _, e2 := range largest {
		s.coarse.error = max(s.coarse.error, s.coarse.bound(e2[0]))
		s.fine.error = max(s.fine.error, s.fine.bound(e2[1]))
	}
	return s
}

// bytes returns the memory of both coarse vectors of all rows.
func (s *sketch) bytes() int64 { return s.rows.Bytes() + s.wide.Bytes() }

// shorten sets few to the coarse vector that corresponds to a fine one.
func (s *sketch) shorten(few *[vafile.Dims]float64, fine *[vafile.WideDims]float64) {
	const last, wideLast = vafile.Dims - 1, vafile.WideDims - 1
	norm := fine[wideLast] + s.fine.middle
	rest := norm * norm
	for _, v := range fine[last:wideLast] {
		rest += v * v
	}
	copy(few[:], fine[:last])
	few[last] = math.Sqrt(rest) - s.coarse.middle
}
