package clusters

import (
	"slices"

	"unfold/sparse/distance"
)

// neighbor is a row at a squared distance.
type neighbor struct {
	row   int32
	dist2 float64
}

func (e neighbor) before(f neighbor) bool {
	return e.dist2 < f.dist2 || e.dist2 == f.dist2 && e.row < f.row
}

// nearest are neighbours in the order of squared distance and row.
type nearest []neighbor

// add inserts a neighbour at its position if it is one of the first k.
func (n nearest) add(e neighbor, k int) nearest {
	if len(n) == k {
		if !e.before(n[k-1]) {
			return n
		}
		n = n[:k-1]
	}
	at := len(n)
	for at > 0 && e.before(n[at-1]) {
		at--
	}
	return slices.Insert(n, at, e)
}

// nearest adds rows of box v that are among the k nearest of a row. away2 is the squared distance
// of the row and the box.
func (b *boxes[T]) nearest(to nearest, row []T, k int, v int32, away2 float64) nearest {
	if len(to) == k && away2 > to[k-1].dist2 {
		return to
	}
	if r := b.right[v]; r > 0 {
		first, second := v+1, r
		one, other := b.away2(row, first), b.away2(row, second)
		if other < one {
			first, second, one, other = second, first, other, one
		}
		return b.nearest(b.nearest(to, row, k, first, one), row, k, second, other)
	}
	for _, j := range b.order[b.from[v]:b.to[v]] {
		to = to.add(neighbor{j, distance.Between(b.d, row, b.x.Row(int(j)))}, k)
	}
	return to
}
