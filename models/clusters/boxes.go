package clusters

import (
	"context"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
)

const (
	// boxRows is the number of rows in the smallest boxes.
	boxRows = 16
	// askedTogether is the number of open points in one task. The shortest edge of one point bounds
	// the search of the next.
	askedTogether = 256
)

// boxes are the boxes of a k-d tree (Bentley 1975) over the rows of x. Each has the least core
// distance of its rows, and the component that contains all its rows, if there is one. The search
// skips a box if all its rows are in the component of the asking point, or if none can be nearer
// than the best edge so far (March, Ram and Gray 2010).
type boxes[T vec.Float] struct {
	d     distance.Distance
	x     vec.Matrix[T]
	core2 []float64
	order []int32
	// Box v contains rows order[from[v]:to[v]], with values from low to high in each column. Its
	// halves are v+1 and right[v]; right is 0 for the smallest boxes.
	from, to, right []int32
	low, high       []float64
	least           []float64 // least core2 of its rows
	component       []int32   // component of all rows; -1 if there are several
}

// boxed reports whether rows of the given number of columns are searched with boxes.
func boxed(d distance.Distance, columns int) bool {
	return columns <= boxedColumns && d.Bounded()
}

// newBoxes makes the boxes.
func newBoxes[T vec.Float](d distance.Distance, x vec.Matrix[T], core2 []float64, threads int) *boxes[T] {
	b := &boxes[T]{d: d, x: x, core2: core2, order: knn.Order(x, boxRows, threads)}
	b.grow(0, x.Rows)
	b.component = make([]int32, len(b.from))
	return b
}

// grow makes the box of rows from..to of the order, and the boxes inside it.
func (b *boxes[T]) grow(from, to int) {
	v, d := len(b.from), b.x.Cols
	b.from, b.to, b.right = append(b.from, int32(from)), append(b.to, int32(to)), append(b.right, 0)
	first := b.order[from]
	b.least = append(b.least, b.core2[first])
	for _, value := range b.x.Row(int(first)) {
		b.low, b.high = append(b.low, float64(value)), append(b.high, float64(value))
	}
	for _, i := range b.order[from:to] {
		b.least[v] = min(b.least[v], b.core2[i])
		for k, value := range b.x.Row(int(i)) {
			b.low[v*d+k], b.high[v*d+k] = min(b.low[v*d+k], float64(value)), max(b.high[v*d+k], float64(value))
		}
	}
	if pieces := par.Pieces(to-from, boxRows); pieces > 1 {
		middle := from + (pieces+1)/2*boxRows // the same split as in knn.Order
		b.grow(from, middle)
		b.right[v] = int32(len(b.from))
		b.grow(middle, to)
	}
}

// join sets the component of each box.
func (b *boxes[T]) join(label []int32) {
	for v := len(b.from) - 1; v >= 0; v-- {
		if r := b.right[v]; r > 0 {
			b.component[v] = b.component[v+1]
			if b.component[r] != b.component[v] {
				b.component[v] = -1
			}
			continue
		}
		b.component[v] = label[b.order[b.from[v]]]
		for _, i := range b.order[b.from[v]:b.to[v]] {
			if label[i] != b.component[v] {
				b.component[v] = -1
				break
			}
		}
	}
}

// ask is the search for a point's shortest edge to another component.
type ask[T vec.Float] struct {
	*boxes[T]
	label []int32
	i     int32
	row   []T
	near  int32   // the other end; -1 if no edge below r2 is known
	r2    float64 // squared reachability of the edge, or its upper bound
}

// bound returns a lower bound of the reachability of i and any row of box v.
func (a *ask[T]) bound(v int32) float64 {
	return max(a.away2(a.row, v), a.least[v], a.core2[a.i])
}

// away2 returns the squared distance of a row and box v.
func (b *boxes[T]) away2(row []T, v int32) (sum float64) {
	d := len(row)
	low, high := b.low[int(v)*d:][:d], b.high[int(v)*d:][:d]
	if b.d != distance.Euclidean {
		return distance.Box(b.d, row, low, high)
	}
	for k, value := range row {
		at := float64(value)
		out := max(low[k]-at, at-high[k], 0)
		sum += out * out
	}
	return sum
}

// visit searches box v, unless bound excludes a shorter edge.
func (a *ask[T]) visit(v int32, bound float64) {
	if bound >= a.r2 || a.component[v] == a.label[a.i] {
		return
	}
	if r := a.right[v]; r > 0 {
		first, second := v+1, r
		one, other := a.bound(first), a.bound(second)
		if other < one {
			first, second, one, other = second, first, other, one
		}
		a.visit(first, one)
		a.visit(second, other)
		return
	}
	for _, j := range a.order[a.from[v]:a.to[v]] {
		if a.label[j] == a.label[a.i] || a.core2[j] >= a.r2 {
			continue
		}
		if r2 := max(a.core2[a.i], a.core2[j], distance.Between(a.d, a.row, a.x.Row(int(j)))); r2 < a.r2 {
			a.near, a.r2 = j, r2
		}
	}
}

// inBoxes finds the shortest edges of open points, if they are shorter than the best of their
// component. open is ordered by component.
func (s *spanner[T]) inBoxes(ctx context.Context, open, label, best []int32) error {
	s.boxes.join(label)
	par.Ranges(s.set.Threads, len(open), askedTogether, func(_, from, to int) {
		known, of := 0.0, int32(-1) // the shortest edge so far of component of
		for _, i := range open[from:to] {
			if ctx.Err() != nil {
				return
			}
			if label[i] != of {
				of = label[i]
				known = s.shortest(best[of])
			}
			if s.low[i] >= known {
				continue
			}
			a := &ask[T]{boxes: s.boxes, label: label, i: i, row: s.x.Row(int(i)), near: -1, r2: known}
			a.visit(0, a.bound(0))
			if a.near >= 0 {
				s.near[i], s.r2[i] = a.near, a.r2
				known = a.r2
			}
			s.low[i] = known
		}
	})
	for _, i := range open {
		s.improve(best, i, label[i])
	}
	return ctx.Err()
}
