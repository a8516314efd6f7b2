package field

import (
	"math"
	"math/bits"
	"slices"

	"unfold/sparse/par"
	"unfold/sparse/vec"
)

// tree is a balanced k-d tree over the map: every node holds half of the
// points of the node above, to one side of a plane across its longest edge. It
// is numbered like a heap: node 1 is the root, 2v and 2v+1 are v's halves, the
// nodes of level l are 1<<l..2<<l. What points a node holds is a matter of
// counting alone, see span.
type tree struct {
	n, d  int
	depth int     // level of the cells, the smallest nodes
	order []int32 // point numbers, cell by cell, ascending within a cell
	key   []float64
}

// topLevels of a tree are split one after the other, everything below them is
// one task a node.
const topLevels = 6

// newTree returns a tree whose cells have at most cell points.
func newTree(n, d, cell int) *tree {
	t := &tree{n: n, d: d, order: identity(n), key: make([]float64, n)}
	t.depth = t.level(cell)
	return t
}

// level is the first whose nodes have at most size points.
func (t *tree) level(size int) int {
	level := 0
	for (t.n-1)>>level+1 > size {
		level++
	}
	return level
}

// top is the level of the nodes that are a task each.
func (t *tree) top() int { return min(topLevels, t.depth) }

// nodes is one more than the largest number of a node.
func (t *tree) nodes() int { return 2 << t.depth }

// span returns where node v's points are in the order.
func (t *tree) span(v int) (from, to int) {
	level := bits.Len(uint(v)) - 1
	k := v - 1<<level
	return k * t.n >> level, (k + 1) * t.n >> level
}

// build puts the points into the order of the tree for their places mu. It
// starts from the order that it finds, which is cheap if points moved little;
// the result does not depend on it.
func (t *tree) build(threads int, mu vec.Matrix[float64]) {
	top := t.top()
	for level := range top {
		par.Do(threads, 1<<level, func(k int) { t.halve(1<<level+k, mu) })
	}
	par.Do(threads, 1<<top, func(k int) { t.below(1<<top+k, mu) })
}

// below splits v and everything under it.
func (t *tree) below(v int, mu vec.Matrix[float64]) {
	if v >= 1<<t.depth {
		from, to := t.span(v)
		slices.Sort(t.order[from:to])
		return
	}
	t.halve(v, mu)
	t.below(2*v, mu)
	t.below(2*v+1, mu)
}

// halve splits v across the longest edge of its points' tight box.
func (t *tree) halve(v int, mu vec.Matrix[float64]) {
	from, to := t.span(v)
	_, middle := t.span(2 * v)
	order, key := t.order[from:to], t.key[from:to]
	axis, longest := 0, -1.0
	for k := range t.d {
		low, high := math.Inf(1), math.Inf(-1)
		for _, i := range order {
			x := mu.Data[int(i)*t.d+k]
			low, high = min(low, x), max(high, x)
		}
		if high-low > longest {
			axis, longest = k, high-low
		}
	}
	for p, i := range order {
		x := mu.Data[int(i)*t.d+axis]
		if x != x {
			x = math.Inf(1) // a strict order needs every key comparable
		}
		key[p] = x
	}
	split(key, order, middle-from)
}

func (t *tree) bytes() int64 { return 12 * int64(t.n) }
