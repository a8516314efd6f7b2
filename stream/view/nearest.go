package view

import (
	"context"
	"slices"

	"unfold/internal/par"
)

// tree is a k-d tree of places (Bentley 1975). Each range of order is split at its middle, along
// the longer side of its box, so the tree needs no pointers. Unlike a grid it stays fast if a few
// points are far away. knn.Graph, which compares all pairs, takes five times as long for 200,000
// places.
type tree struct {
	x, y  []float32
	order []int32
	axis  []bool // by the middle of a range: split by y, else by x
}

// leafPoints is the largest range that is not split.
const leafPoints = 8

func newTree(x, y []float32) *tree {
	t := &tree{x: x, y: y, order: make([]int32, len(x)), axis: make([]bool, len(x))}
	for i := range t.order {
		t.order[i] = int32(i)
	}
	t.split(0, len(x))
	return t
}

func (t *tree) split(from, to int) {
	for to-from > leafPoints {
		first := t.order[from]
		x0, x1, y0, y1 := t.x[first], t.x[first], t.y[first], t.y[first]
		for _, i := range t.order[from:to] {
			x0, x1 = min(x0, t.x[i]), max(x1, t.x[i])
			y0, y1 = min(y0, t.y[i]), max(y1, t.y[i])
		}
		v, middle := t.x, (from+to)/2
		if t.axis[middle] = y1-y0 > x1-x0; t.axis[middle] {
			v = t.y
		}
		divide(t.order[from:to], v, middle-from)
		t.split(from, middle)
		from = middle + 1
	}
}

// divide orders points so that those before index k have values at most that of the k-th, and
// those after it at least that (Hoare 1961).
func divide(order []int32, v []float32, k int) {
	lo, hi := 0, len(order)-1
	for lo < hi {
		pivot := v[order[(lo+hi)/2]]
		i, j := lo, hi
		for i <= j {
			for v[order[i]] < pivot {
				i++
			}
			for v[order[j]] > pivot {
				j--
			}
			if i <= j {
				order[i], order[j] = order[j], order[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return
		}
	}
}

// closest holds the k nearest points found so far, nearest first. Equal distances are ordered by
// the points' numbers.
type closest struct {
	of   int32
	x, y float32
	at   []int32
	dist []float32 // squared
	k    int
}

func (c *closest) offer(i int32, d float32) {
	n := len(c.at)
	if i == c.of || n == c.k && (d > c.dist[n-1] || d == c.dist[n-1] && i > c.at[n-1]) {
		return
	}
	if n < c.k {
		c.at, c.dist = append(c.at, i), append(c.dist, d)
	} else {
		n--
	}
	for ; n > 0 && (c.dist[n-1] > d || c.dist[n-1] == d && c.at[n-1] > i); n-- {
		c.at[n], c.dist[n] = c.at[n-1], c.dist[n-1]
	}
	c.at[n], c.dist[n] = i, d
}

func (t *tree) search(c *closest, from, to int) {
	if to-from <= leafPoints {
		for _, i := range t.order[from:to] {
			dx, dy := t.x[i]-c.x, t.y[i]-c.y
			c.offer(i, dx*dx+dy*dy)
		}
		return
	}
	middle := (from + to) / 2
	i := t.order[middle]
	dx, dy := t.x[i]-c.x, t.y[i]-c.y
	beyond := -dx // how far the place lies beyond the splitting line
	if t.axis[middle] {
		beyond = -dy
	}
	c.offer(i, dx*dx+dy*dy)
	near, far := [2]int{from, middle}, [2]int{middle + 1, to}
	if beyond > 0 {
		near, far = far, near
	}
	t.search(c, near[0], near[1])
	if len(c.at) < c.k || beyond*beyond <= c.dist[len(c.dist)-1] {
		t.search(c, far[0], far[1])
	}
}

// changed returns for each of n points the share of its k nearest on one map that are not among
// its k nearest on the other. All places must be finite, and k less than n.
func changed(ctx context.Context, x, y, ox, oy []float32, k int) ([]float32, error) {
	out := make([]float32, len(x))
	here, there := newTree(x, y), newTree(ox, oy)
	par.Ranges(0, len(x), 4096, func(_, from, to int) {
		if ctx.Err() != nil {
			return
		}
		a := closest{k: k, at: make([]int32, 0, k), dist: make([]float32, 0, k)}
		b := closest{k: k, at: make([]int32, 0, k), dist: make([]float32, 0, k)}
		for i := from; i < to; i++ {
			a.of, a.x, a.y, a.at, a.dist = int32(i), x[i], y[i], a.at[:0], a.dist[:0]
			b.of, b.x, b.y, b.at, b.dist = int32(i), ox[i], oy[i], b.at[:0], b.dist[:0]
			here.search(&a, 0, len(x))
			there.search(&b, 0, len(x))
			left := 0
			for _, j := range a.at {
				if !slices.Contains(b.at, j) {
					left++
				}
			}
			out[i] = float32(left) / float32(k)
		}
	})
	return out, ctx.Err()
}
