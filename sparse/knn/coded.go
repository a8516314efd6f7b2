package knn

import (
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/simd"
	"unfold/internal/simd/codes"
	"unfold/internal/vec"
)

// coding rounds rows to codes, integers of one byte up to a largest magnitude (package codes).
//
// With a centre c, v_i = (x_i - c)/unit is clipped to the box of the codes and rounded to c_i. Both
// are projections onto convex sets up to e_i, the length by which the rounding moves the clipped
// row, and a projection does not increase distances. So
//
//	|x_i - x_j| / unit >= |c_i - c_j| - e_i - e_j
//
// Products of codes are integers, so the distance of the codes has no error.
type coding struct {
	centre    []float64
	largest   int
	unit, per float64 // per is 1/unit
	error     float64 // at least e_j, of any row
}

// codeSlack covers, in units and relatively, the float64 rounding errors of clipped rows, their
// lengths and of squared distances: less than m 2^-45 for the m <= codes.MaxDim columns.
const codeSlack = 0x1p-20

// encode writes the codes of a row and returns e, rounded up.
func encode[T vec.Float](c *coding, to []int8, row []T) float64 {
	var e2 float64
	centre, per, largest := c.centre[:len(row)], c.per, float64(c.largest)
	to = to[:len(row)]
	for k, x := range row {
		v := min(max((float64(x)-centre[k])*per, -largest), largest)
		u := math.RoundToEven(v)
		e2 += (v - u) * (v - u)
		to[k] = int8(u)
	}
	return math.Sqrt(e2)*(1+codeSlack) + codeSlack
}

// threshold returns the value that q_ij (package codes) must reach for row j to possibly be within
// dist2 of a row with the rounding error e.
func (c *coding) threshold(e, dist2 float64) int32 {
	r := math.Sqrt(dist2)*c.per*(1+codeSlack) + e + c.error
	q := -r*r/2*(1+codeSlack) - 1
	if !(q > codes.Lowest) {
		return codes.Lowest
	}
	return int32(math.Floor(q))
}

// coded has rows as codes. It does the same as packed, in less memory, and faster if there are many
// columns and the processor multiplies bytes.
type coded struct {
	coding
	*codes.Panels
	order []int32   // the row at every position; nil if all are at their own
	e     []float32 // by position, rounded up
	level simd.Level
	chunk int // number of panels in the first chunk of a search
}

const (
	// leastCoded is the number of columns, and leastRows that of rows, from which codes pay.
	leastCoded, leastRows = 96, 1000
	// codedChunk is the number of panels in the first chunk of a search, with 3 MB of lower bounds. Up
	// to twice as many are one chunk, so that fewer distances are computed.
	codedChunk = 1 << 14 / codes.Width
	// mostPass is the largest share of sampled pairs that may pass the codes, since each that does
	// costs a distance.
	mostPass = 0.03
)

// ByCodes reports whether Graph compares n rows of dim values by codes of one byte instead of
// float32, if their distances permit it. The choice depends on the processor, the lists do not.
func ByCodes(n, dim int) bool {
	return len(codes.Fast(simd.Best())) > 0 && dim >= leastCoded && dim <= codes.MaxDim && n >= leastRows
}

// newCoded rounds and packs the rows of x, whose values have been checked, in the order of the
// function; nil keeps their own. It returns nil if products in float32 are faster.
func newCoded[T vec.Float](x vec.Matrix[T], order func() []int32, threads int) *coded {
	if !ByCodes(x.Rows, x.Cols) {
		return nil
	}
	level := simd.Best()
	c := chooseCoding(x, level)
	if c == nil {
		return nil
	}
	return packCodes(c, x, order, level, threads)
}

// packCodes is newCoded with a coding.
func packCodes[T vec.Float](c *coding, x vec.Matrix[T], order func() []int32, level simd.Level, threads int) *coded {
	p := &coded{coding: *c, Panels: codes.NewPanels(x.Rows, x.Cols, c.largest), level: level, chunk: codedChunk}
	if p.Count() <= 2*codedChunk {
		p.chunk = max(1, p.Count())
	}
	if order != nil {
		p.order = order()
	}
	p.e = make([]float32, p.Count()*codes.Width)
	const size = 16 * codes.Width
	largest := make([]float64, par.Pieces(x.Rows, size))
	par.Ranges(threads, x.Rows, size, func(piece, from, to int) {
		row := make([]int8, x.Cols)
		for i := from; i < to; i++ {
			e := encode(c, row, x.Row(p.row(i)))
			p.Set(i, row)
			p.e[i] = -down(-e)
			largest[piece] = max(largest[piece], e)
		}
	})
	p.error = slices.Max(largest)
	return p
}

// row returns the number of the row at position i.
func (p *coded) row(i int) int {
	if p.order == nil {
		return i
	}
	return int(p.order[i])
}

// bytes is the memory of the rows.
func (p *coded) bytes() int64 { return p.Bytes() + 4*int64(len(p.e)+len(p.order)) }

// trialRows is the number of rows, and trialQueries that of queries among them, that a coding is chosen by.
const trialRows, trialQueries = 512, 64

// perPass is the time of a pair that passes the codes, by that of its product in float32: it costs a
// distance in double precision and often a place in a list.
const perPass = 40

// chooseCoding returns the coding that takes least time of those that a level multiplies fast, or
// nil if products in float32 are faster. Coarser codes are multiplied faster, and more pairs pass.
func chooseCoding[T vec.Float](x vec.Matrix[T], level simd.Level) (best *coding) {
	t, least := newTrial(x, level), math.Inf(1)
	for _, r := range codes.Fast(level) {
		c, pass := t.best(r.Largest)
		if time := r.Time + perPass*pass; c != nil && pass <= mostPass && time < least {
			best, least = c, time
		}
	}
	return best
}

// best returns the coding with codes up to the largest that excludes most pairs of sampled rows, and
// the share of pairs that it does not exclude. It returns nil if the values are too large or too
// small. The choice affects time only.
//
// A smaller box has smaller errors, but clips more.
func (t *trial[T]) best(largest int) (best *coding, pass float64) {
	pass, most := 2.0, 0.0
	for half := range 9 {
		c := &coding{centre: t.centre, largest: largest, unit: t.most * math.Pow(2, -float64(half)/2) / float64(largest)}
		c.per = 1 / c.unit
		if !(c.unit > 0x1p-400 && c.unit < 0x1p400) {
			break
		}
		if share, ratio := t.score(c); share < pass || share == pass && ratio > most {
			best, pass, most = c, share, ratio
		}
	}
	return best, pass
}

// trial has sampled rows and the distance from each query, which is one of them, to the nearest
// other.
type trial[T vec.Float] struct {
	x       vec.Matrix[T]
	centre  []float64
	most    float64 // the largest distance from the centre in any column
	queries []int32 // rows of x
	dist2   []float64
	level   simd.Level
}

func newTrial[T vec.Float](x vec.Matrix[T], level simd.Level) *trial[T] {
	t := &trial[T]{centre: centre(x), level: level}
	n := min(x.Rows, trialRows)
	rows := make([]int32, n)
	for s := range rows {
		rows[s] = int32(s * x.Rows / n)
	}
	t.x = vec.Take(x, rows)
	for i := range n {
		for k, v := range t.x.Row(i) {
			t.most = max(t.most, math.Abs(float64(v)-t.centre[k]))
		}
	}
	all, dist2 := upTo(n), make([]float64, n)
	for q := range min(n, trialQueries) {
		i := q * n / min(n, trialQueries)
		measure(dist2, t.x.Row(i), t.x, all)
		dist2[i] = math.Inf(1)
		t.queries, t.dist2 = append(t.queries, int32(i)), append(t.dist2, slices.Min(dist2))
	}
	return t
}

// score returns the share of rows that a coding does not exclude from being nearer to a query than
// the nearest one, and the mean ratio of the bound on this one's distance to the distance.
func (t *trial[T]) score(c *coding) (pass, ratio float64) {
	p := packCodes(c, t.x, nil, t.level, 1)
	stride := p.Count() * codes.Width
	left, lower, row := codes.NewLeft(p.Panels), make([]int32, codes.Height*stride), make([]int8, t.x.Cols)
	for q := 0; q < len(t.queries); q += codes.Height {
		some := t.queries[q:min(len(t.queries), q+codes.Height)]
		for r, i := range some {
			encode(c, row, t.x.Row(int(i)))
			left.Set(r, row)
		}
		codes.Bounds(t.level, lower, stride, left, p.Panels, 0, p.Count())
		for r, i := range some {
			limit, least := -p.threshold(float64(p.e[i]), t.dist2[q+r]), int32(math.MaxInt32)
			for j, h := range lower[r*stride:][:t.x.Rows] {
				if j != int(i) {
					least = min(least, h)
					if h <= limit {
						pass++
					}
				}
			}
			if d := math.Sqrt(t.dist2[q+r]) * c.per; d > 0 {
				ratio += max(0, math.Sqrt(2*float64(least))-float64(p.e[i])-p.error) / d
			}
		}
	}
	pairs := float64(len(t.queries) * (t.x.Rows - 1))
	return pass / pairs, ratio / float64(len(t.queries))
}
