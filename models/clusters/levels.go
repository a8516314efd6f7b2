package clusters

import (
	"math"
	"math/bits"
	"slices"

	"unfold/sparse/graph"
)

// levels is the single linkage hierarchy of a spanning tree in the form of an order of the points.
// The points of every component at any level are consecutive. pathMost, the longest edge on the
// path between two points, is then the largest height between their positions.
type levels struct {
	order []int32 // slots
	place []int32 // position of each slot in the order
	// most is a heap of maxima over heights, which are its second half. Height k is between
	// positions k-1 and k. The first height and the one after the last are infinite.
	most []float64
	half int

	forest     graph.Forest
	last, next []int32
	gap        []float64       // distance between a slot and the next
	trees      [2][]graph.Edge // the present tree, and memory for the next
}

// kruskal returns the minimum spanning tree of the edges in tree, which must ascend by length, and
// in fresh, in any order. Together they must connect the points. v becomes the hierarchy of the
// result, which is valid until the call after the next. top is greater than all slots.
func (v *levels) kruskal(tree, fresh []graph.Edge, n, top int) []graph.Edge {
	v.begin(top)
	out := slices.Grow(v.trees[1][:0], n)
	order, next := graph.ByLength(fresh), 0
	for _, e := range tree {
		for ; next < len(order) && fresh[order[next]].Dist2 < e.Dist2; next++ {
			out = v.join(fresh[order[next]], out)
		}
		out = v.join(e, out)
	}
	for _, o := range order[next:] {
		out = v.join(fresh[o], out)
	}
	if len(out) != n-1 {
		panic("clusters: edges do not connect the points")
	}
	first := int32(0)
	if n > 1 {
		first = v.forest.Find(out[0].I)
	}
	v.arrange(first, n)
	v.trees[0], v.trees[1] = out, v.trees[0]
	return out
}

func (v *levels) bytes() int64 {
	return int64(4*(cap(v.order)+cap(v.place)+cap(v.forest)+cap(v.last)+cap(v.next)) + 8*(cap(v.most)+cap(v.gap)) + 16*(cap(v.trees[0])+cap(v.trees[1])))
}

// room returns n elements with undefined values. It reuses the memory of s if that is large enough.
func room[S ~[]T, T any](s S, n int) S { return slices.Grow(s[:0], n)[:n] }

// begin makes every slot a component of its own.
func (v *levels) begin(top int) {
	v.forest, v.last, v.next = room(v.forest, top), room(v.last, top), room(v.next, top)
	v.gap, v.place = room(v.gap, top), room(v.place, top)
	v.forest.Clear()
	copy(v.last, v.forest)
}

// join appends an edge unless it would close a cycle. The smallest member of a component is its
// root and the first in its order.
func (v *levels) join(e graph.Edge, out []graph.Edge) []graph.Edge {
	a, b := v.forest.Find(e.I), v.forest.Find(e.J)
	if a == b {
		return out
	}
	a, b = min(a, b), max(a, b)
	v.forest[b] = a
	v.next[v.last[a]], v.gap[v.last[a]] = b, e.Dist2
	v.last[a] = v.last[b]
	return append(out, e)
}

// arrange orders the n points that are chained from first on.
func (v *levels) arrange(first int32, n int) {
	v.half = 1 << bits.Len(uint(n)) // above n
	v.order, v.most = room(v.order, n), room(v.most, 2*v.half)
	height := v.most[v.half:]
	for k := n; k < len(height); k++ {
		height[k] = math.Inf(1)
	}
	height[0] = math.Inf(1)
	for k, slot := 0, first; k < n; k++ {
		v.order[k], v.place[slot] = slot, int32(k)
		if k+1 < n {
			height[k+1] = v.gap[slot]
		}
		slot = v.next[slot]
	}
	for k := v.half - 1; k != 0; k-- {
		v.most[k] = max(v.most[2*k], v.most[2*k+1])
	}
}

// height returns the height between positions k-1 and k.
func (v *levels) height(k int) float64 { return v.most[v.half+k] }

// pathMost returns the longest edge on the path between two slots, 0 if they are equal.
func (v *levels) pathMost(i, j int32) float64 {
	a, b := int(v.place[i]), int(v.place[j])
	return v.between(min(a, b), max(a, b))
}

// between returns the largest height between two positions.
func (v *levels) between(a, b int) (most float64) {
	for a, b = a+1+v.half, b+1+v.half; a < b; a, b = a/2, b/2 {
		if a&1 == 1 {
			most = max(most, v.most[a])
			a++
		}
		if b&1 == 1 {
			b--
			most = max(most, v.most[b])
		}
	}
	return most
}

// below returns the range from..to (to excluded) of the component that contains a position at all
// levels below l.
func (v *levels) below(place int, l float64) (from, to int) {
	t := v.half + place
	for v.most[t] < l {
		for t&1 == 0 {
			t >>= 1
		}
		t--
	}
	for t < v.half {
		if t = 2*t + 1; v.most[t] < l {
			t--
		}
	}
	return t - v.half, v.after(place, l)
}

// after returns the first position after the given one with a height of at least l.
func (v *levels) after(place int, l float64) int {
	t := v.half + place + 1
	for v.most[t] < l {
		for t&1 == 1 {
			t >>= 1
		}
		t++
	}
	for t < v.half {
		if t *= 2; v.most[t] < l {
			t++
		}
	}
	return t - v.half
}

// upTo returns the range of the component that contains a position at level l.
func (v *levels) upTo(place int, l float64) (from, to int) {
	return v.below(place, math.Nextafter(l, math.Inf(1)))
}
