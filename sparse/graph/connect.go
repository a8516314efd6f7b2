package graph

import (
	"math"

	"unfold/sparse"
)

// Bridged joins the components of a graph with the given edge lengths (n x n, symmetric), and
// returns the number of components. It adds an edge from the largest component (of equal ones, that
// with the first point) to each other one, between the points with the most edges in their
// components (the first of equal ones). Its length is the sum of the longest edge of the graph and
// the two distances from these points to the farthest point of their component. So no component
// lies inside another.
func Bridged(lengths *sparse.CSR) (joined *sparse.CSR, parts int) {
	forest := NewForest(lengths.N)
	longest := 0.0
	for i := range lengths.N {
		to, along := lengths.Row(i)
		for e, j := range to {
			forest.Union(int32(i), j)
			longest = max(longest, along[e])
		}
	}
	label, size := forest.Labels()
	if len(size) < 2 {
		return lengths, len(size)
	}
	middle := middles(lengths, label, len(size))
	radius := radii(PathsOf(lengths), label, middle)
	main := largest(size)
	var i, j []int32
	var length []float64
	for part, m := range middle {
		if int32(part) == main {
			continue
		}
		l := radius[main] + radius[part] + longest
		i, j, length = append(i, middle[main], m), append(j, m, middle[main]), append(length, l, l)
	}
	for p := range lengths.N {
		to, along := lengths.Row(p)
		for e, o := range to {
			i, j, length = append(i, int32(p)), append(j, o), append(length, along[e])
		}
	}
	return sparse.FromTriplets(lengths.N, lengths.N, i, j, length), len(size)
}

// middles returns the point with the most edges of each part.
func middles(lengths *sparse.CSR, label []int32, parts int) []int32 {
	out := make([]int32, parts)
	most := make([]int, parts) // and one, so that a point without an edge is the middle of itself
	for i := range lengths.N {
		if edges := lengths.Start[i+1] - lengths.Start[i] + 1; edges > most[label[i]] {
			most[label[i]], out[label[i]] = edges, int32(i)
		}
	}
	return out
}

// radii returns the distance of the farthest point of each component from its middle.
func radii(p *Paths, label, middle []int32) []float64 {
	out, w := make([]float64, len(middle)), &walk{}
	w.fit(p.Len())
	for _, m := range middle {
		w.reach(m, 0)
	}
	for len(w.heap) > 0 {
		here := w.pop()
		if here.dist > w.dist[here.at] {
			continue
		}
		out[label[here.at]] = max(out[label[here.at]], here.dist)
		for e := p.start[here.at]; e < p.start[here.at+1]; e++ {
			if d := here.dist + p.along[e]; !math.IsInf(d, 1) {
				w.reach(p.to[e], d)
			}
		}
	}
	return out
}
