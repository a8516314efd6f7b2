package farfield

import (
	"math"
	"math/bits"
	"sync/atomic"

	"unfold/internal/par"
	"unfold/internal/simd/median"
	"unfold/internal/vec"
)

// tree is a balanced k-d tree: every node has half of the points of the node above, on one side of
// a plane. The plane is perpendicular to the longest edge of the points' bounding box on the map.
// Where positions hardly differ, it divides the points by Delta^2 or sigma^2, so that heaps of
// points become groups too.
//
// Nodes are numbered like a heap: node 1 is the root, 2v and 2v+1 are v's halves, and the nodes of
// level l are 1<<l..2<<l. The points of a node follow from counting alone, see span.
type tree struct {
	n, d  int
	depth int          // level of the cells, the smallest nodes
	table median.Table // the points: place, Delta^2 and sigma^2, cell by cell
	order []int32      // their numbers, ascending within a cell: the table's Index
	// components is the number of components that nodes are divided by: position, Delta^2 and,
	// unless it is constant, sigma^2. divided is the table of these.
	components int
	divided    median.Table
	// broken reports that a component was NaN, for which the table has infinity.
	broken atomic.Bool
}

// state has the values of the points that the tree divides.
type state struct {
	mu             vec.Matrix[float64]
	sigma2, delta2 []float64
	// deltaUnit is the variance of Delta^2, relative to its mean, that counts as much as a squared
	// extent of 1 on the map.
	deltaUnit float64
	// deltaMost is the maximum variance of Delta^2 in a group, relative to its squared mean, at any
	// distance.
	deltaMost float64
}

// extent2 returns the squared edge of a box along z_k, from low to high, in squared units of the
// map. It uses the terms of Cells.setGate: edge^2/12 for positions, edge^2/12/mean/deltaUnit for
// Delta^2 and edge/sqrt(12)/2 for sigma^2.
func (s *state) extent2(k int, low, high float64) float64 {
	edge := high - low
	switch d := s.mu.Cols; k {
	case d:
		mean := (low + high) / 2
		if edge*edge/12 > s.deltaMost*mean*mean {
			return math.Inf(1)
		}
		return edge * edge / (mean * s.deltaUnit)
	case d + 1:
		return edge * math.Sqrt(3)
	default:
		return edge * edge
	}
}

// topLevels is the number of tree levels that are divided one after the other; every node below
// them is a task.
const topLevels = 6

// newTree returns a tree whose cells have at most cell points.
func newTree(n, d, cell int) *tree {
	t := &tree{n: n, d: d, table: median.NewTable(n, d+2)}
	t.order = t.table.Index
	t.depth = t.level(cell)
	return t
}

// level returns the first level whose nodes have at most size points.
func (t *tree) level(size int) int {
	level := 0
	for (t.n-1)>>level+1 > size {
		level++
	}
	return level
}

// top returns the level of the nodes that are one task each.
func (t *tree) top() int { return min(topLevels, t.depth) }

// nodes returns one more than the largest node number.
func (t *tree) nodes() int { return 2 << t.depth }

// span returns the range of node v's points in the order.
func (t *tree) span(v int) (from, to int) {
	level := bits.Len(uint(v)) - 1
	k := v - 1<<level
	return k * t.n >> level, (k + 1) * t.n >> level
}

// build orders the points according to their state.
func (t *tree) build(threads int, s *state) {
	t.fill(threads, s)
	t.components = t.d + 2
	t.divided = t.table
	if equal(s.sigma2) {
		t.components-- // sigma^2 is constant: nodes need not be divided by it
		t.divided.Columns = t.table.Columns[:t.components]
	}
	top := t.top()
	level := 0
	halve := func(k int) { t.halve(1<<level+k, s) }
	for ; level < top; level++ {
		par.Do(threads, 1<<level, halve)
	}
	par.Do(threads, 1<<top, func(k int) { t.below(1<<top+k, s) })
}

// fillPiece is the number of points of one task of fill.
const fillPiece = 4096

// fill copies the state in the order of the points' indices.
func (t *tree) fill(threads int, s *state) {
	t.broken.Store(false)
	par.Ranges(threads, t.n, fillPiece, func(_, from, to int) {
		whole := true
		for k, column := range t.table.Columns {
			values, stride := s.component(k)
			for i := from; i < to; i++ {
				x := values[i*stride]
				if x != x {
					x, whole = math.Inf(1), false
				}
				column[i] = x
			}
		}
		for i := from; i < to; i++ {
			t.order[i] = int32(i)
		}
		if !whole {
			t.broken.Store(true)
		}
	})
}

// component returns z_k of all points (see moments) as every stride-th value of
// a slice.
func (s *state) component(k int) (values []float64, stride int) {
	switch d := s.mu.Cols; k {
	case d:
		return s.delta2, 1
	case d + 1:
		return s.sigma2, 1
	default:
		return s.mu.Data[k:], d
	}
}

// equal reports whether all values are the same number.
func equal(values []float64) bool {
	for _, v := range values {
		if v != values[0] {
			return false
		}
	}
	return true
}

// below splits v and everything under it.
func (t *tree) below(v int, s *state) {
	if v >= 1<<t.depth {
		return
	}
	t.halve(v, s)
	t.below(2*v, s)
	t.below(2*v+1, s)
}

// halve splits v across its longest extent.
func (t *tree) halve(v int, s *state) {
	from, to := t.span(v)
	_, middle := t.span(2 * v)
	axis, longest, least, most := 0, -1.0, 0.0, 0.0
	for k := range t.components {
		low, high := t.divided.Extent(k, from, to)
		if e := s.extent2(k, low, high); e > longest || k == 0 {
			axis, longest, least, most = k, e, low, high
		}
	}
	t.divided.Divide(axis, from, to, middle-from, least, most)
}

func (t *tree) bytes() int64 { return t.table.Bytes() }
