package knn

import (
	"math"

	"unfold/internal/simd/codes"
	"unfold/internal/simd/tile"
	"unfold/internal/vec"
)

// queries has up to tile.Width queries of a search and compares them with the rows of its filter.
// Methods that take alone need only the results for query r if it is set, otherwise those of
// tile.Height queries from r on.
type queries[T vec.Float, V value] interface {
	// set loads query r, and end is called when there are n.
	set(r int, row []T)
	end(n int)
	// least returns the value that a row must reach to possibly be within dist2 of query r.
	least(r int, dist2 float64) V
	// near computes the lower bounds for panels from..to, in lines from the given one on.
	near(c *nearby, r int, alone bool, line, from, to int)
	// scan compares queries with panels first..last. It returns the number of lines of the mask:
	// bit c of mask[t*lines+q-r] is set if query q reaches the smaller of the thresholds least[q-r]
	// and cols[t*tile.Width+c].
	scan(mask []uint64, r int, alone bool, least []V, first, last int, cols []V) (lines int)
}

// packedQueries are those of packed rows.
type packedQueries[T vec.Float] struct {
	p      *packed
	panels *tile.Panels
	z      []float32
}

func newPackedQueries[T vec.Float](p *packed) *packedQueries[T] {
	return &packedQueries[T]{p, tile.NewPanels(tile.Width, p.Dim, p.Prefix), make([]float32, p.Dim)}
}

func (q *packedQueries[T]) set(r int, row []T) {
	start, tail := load(q.p, q.z, row)
	q.panels.Set(r, q.z, start, tail)
}

func (q *packedQueries[T]) end(n int) {
	for r := n; r < tile.Width; r++ {
		q.panels.Start[r] = float32(math.Inf(-1))
	}
}

func (q *packedQueries[T]) least(_ int, dist2 float64) float32 { return q.p.threshold(dist2) }

func (q *packedQueries[T]) near(c *nearby, r int, alone bool, line, from, to int) {
	c.compare(q.p, q.panels, r, alone, line, from, to)
}

func (q *packedQueries[T]) scan(mask []uint64, r int, alone bool, least []float32, first, last int, cols []float32) int {
	if alone {
		tile.ScanRow(q.p.level, mask, q.panels, r, least[0], q.p.Panels, first, last, cols)
		return 1
	}
	tile.Scan(q.p.level, mask, q.panels, r, least, q.p.Panels, first, last, cols)
	return tile.Height
}

// codedQueries are those of coded rows.
type codedQueries[T vec.Float] struct {
	p     *coded
	left  [codes.Width / codes.Height]*codes.Left
	codes []int8
	e     [codes.Width]float64
}

func newCodedQueries[T vec.Float](p *coded) *codedQueries[T] {
	q := &codedQueries[T]{p: p, codes: make([]int8, p.Dim)}
	for b := range q.left {
		q.left[b] = codes.NewLeft(p.Panels)
	}
	return q
}

func (q *codedQueries[T]) set(r int, row []T) {
	q.e[r] = encode(&q.p.coding, q.codes, row)
	q.left[r/codes.Height].Set(r%codes.Height, q.codes)
}

// end does nothing, since results for other queries are not used.
func (q *codedQueries[T]) end(int) {}

func (q *codedQueries[T]) least(r int, dist2 float64) int32 { return q.p.threshold(q.e[r], dist2) }

func (q *codedQueries[T]) near(c *nearby, r int, _ bool, line, from, to int) {
	c.compareCodes(q.p, q.left[r/codes.Height], line, from, to)
}

func (q *codedQueries[T]) scan(mask []uint64, r int, _ bool, least []int32, first, last int, cols []int32) int {
	codes.Scan(q.p.level, mask, q.left[r/codes.Height], least, q.p.Panels, first, last, cols)
	return codes.Height
}
