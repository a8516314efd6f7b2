package knn

import (
	"math"

	"unfold/internal/simd/codes"
	"unfold/internal/simd/tile"
)

// value is the type of the values that rows are compared by: float32 of packed rows, and int32 of
// coded ones. The larger a value, the nearer two rows may be.
type value interface{ float32 | int32 }

// filter has the rows of a search in panels of tile.Width, and compares them by values that exclude
// most pairs from each other's lists.
type filter[V value] interface {
	// Count returns the number of panels, rows that of rows, and row the number of the row at a
	// position.
	Count() int
	rows() int
	row(i int) int
	// first returns the number of panels whose nearest rows start a list. Their lower bounds are
	// computed for some queries before the lists start, and for some panels at a time. strip
	// returns the number of panels that are compared at a time after these.
	first() (panels, queries, step int)
	strip() int
	// lowest is the threshold of a list that is not full.
	lowest() V
	// least returns the value that another row must reach to possibly be within dist2 of the row
	// at position i, and limit the largest lower bound (nearby) of a row that reaches a threshold.
	least(i int, dist2 float64) V
	limit(threshold V) int32
	// scan compares the rows of panel a, whose thresholds are rows, with panels first..last, whose
	// thresholds are cols. Bit c of mask[r/tile.Height*(last-first)*tile.Height +
	// t*tile.Height + r%tile.Height] is set if row r of a and row c of panel first+t reach one of
	// theirs.
	scan(left *codes.Left, mask []uint64, a int, rows []V, first, last int, cols []V)
	// near computes the lower bounds between the rows at positions first, ..., first+tile.Height-1
	// and panels from..to.
	near(left *codes.Left, c *nearby, first, from, to int)
	// left is the workspace of scan and near; nil if they need none.
	left() *codes.Left
}

// Both kinds of panels have the same size.
var _, _ = [1]int{}[tile.Width-codes.Width], [1]int{}[tile.Height-codes.Height]

var (
	_ filter[float32] = (*packed)(nil)
	_ filter[int32]   = (*coded)(nil)
)

func (p *packed) rows() int { return p.N }

func (p *packed) strip() int                         { return stripPanels(p.Dim) }
func (p *packed) lowest() float32                    { return lowest }
func (p *packed) least(_ int, dist2 float64) float32 { return p.threshold(dist2) }
func (p *packed) limit(threshold float32) int32      { return int32(math.Float32bits(-threshold)) }
func (p *packed) left() *codes.Left                  { return nil }
func (p *packed) near(_ *codes.Left, c *nearby, first, from, to int) {
	c.compare(p, p.Panels, first, false, 0, from, to)
}

func (p *packed) scan(_ *codes.Left, mask []uint64, a int, rows []float32, first, last int, cols []float32) {
	for r := 0; r < tile.Width; r += tile.Height {
		tile.Scan(p.level, mask[r*(last-first):], p.Panels, a*tile.Width+r, rows[r:], p.Panels, first, last, cols)
	}
}

func (p *coded) rows() int { return p.N }

func (p *coded) strip() int                       { return graphPanels(math.MaxInt, p.Dim, codedBytes) }
func (p *coded) lowest() int32                    { return codes.Lowest }
func (p *coded) least(i int, dist2 float64) int32 { return p.threshold(float64(p.e[i]), dist2) }
func (p *coded) limit(threshold int32) int32      { return -threshold }
func (p *coded) left() *codes.Left                { return codes.NewLeft(p.Panels) }
func (p *coded) near(left *codes.Left, c *nearby, first, from, to int) {
	left.Take(p.level, p.Panels, first)
	c.compareCodes(p, left, 0, from, to)
}

func (p *coded) scan(left *codes.Left, mask []uint64, a int, rows []int32, first, last int, cols []int32) {
	for r := 0; r < codes.Width; r += codes.Height {
		left.Take(p.level, p.Panels, a*codes.Width+r)
		codes.Scan(p.level, mask[r*(last-first):], left, rows[r:], p.Panels, first, last, cols)
	}
}

// first has panels that stay in the cache.
func (p *packed) first() (panels, queries, step int) { return p.chunk, tile.Height, p.chunk }

// first has so many panels that few further rows reach the thresholds. Some of them stay in the
// cache for all queries.
func (p *coded) first() (panels, queries, step int) { return p.chunk, codes.Width, p.strip() }
