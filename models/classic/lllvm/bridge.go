package lllvm

import (
	"context"
	"math"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// components labels the connected components of the union graph of the lists, and counts their
// points.
func components(lists [][]int32) (label []int32, size []int) {
	f := graph.NewForest(len(lists))
	for i, list := range lists {
		for _, j := range list {
			f.Union(int32(i), j)
		}
	}
	return f.Labels()
}

// bridge connects the components of the neighbour graph by a minimum spanning tree and returns the
// number of edges it added. The distance of two components is that of their closest points.
func bridge(y vec.Matrix[float64], lists [][]int32) int {
	label, size := components(lists)
	c := len(size)
	if c < 2 {
		return 0
	}
	type pair struct {
		i, j  int32
		dist2 float64
	}
	closest := make([]pair, c*c)
	for p := range closest {
		closest[p].dist2 = math.Inf(1)
	}
	for i := range y.Rows {
		for j := range i {
			a, b := label[i], label[j]
			if a == b {
				continue
			}
			if d := vec.SquaredDistance(y.Row(i), y.Row(j)); d < closest[int(a)*c+int(b)].dist2 {
				closest[int(a)*c+int(b)] = pair{int32(i), int32(j), d}
				closest[int(b)*c+int(a)] = pair{int32(j), int32(i), d}
			}
		}
	}
	// Prim's way from component 0.
	near := closest[:c:c]
	best := append([]pair(nil), near...)
	in := make([]bool, c)
	in[0] = true
	for range c - 1 {
		next := -1
		for a := range c {
			if !in[a] && (next < 0 || best[a].dist2 < best[next].dist2) {
				next = a
			}
		}
		lists[best[next].i] = append(lists[best[next].i], best[next].j)
		in[next] = true
		for a := range c {
			if e := closest[next*c+a]; !in[a] && e.dist2 < best[a].dist2 {
				best[a] = e
			}
		}
	}
	return c - 1
}

// keepLargest restricts Learnt to the largest component and returns the neighbours among its
// points.
func (f *Fitted) keepLargest(ctx context.Context, x vec.Matrix[float32], nb *knn.Neighbors) (*knn.Neighbors, error) {
	label, size := components(firstOf(nb, f.Settings.Neighbors))
	if len(size) < 2 {
		return nb, nil
	}
	most := 0
	for c, n := range size {
		if n > size[most] {
			most = c
		}
	}
	var kept []int32
	for i, p := range f.Learnt {
		if int(label[i]) == most {
			kept = append(kept, p)
		}
	}
	if len(kept) <= max(f.Settings.MaxNeighbors, f.Settings.MaxDims+1) {
		return nil, models.BadInputf("lllvm: the largest of %d components of the neighbourhood graph has only %d points: take more neighbours, or connect them", len(size), len(kept))
	}
	f.Learnt = kept
	return f.neighbours(ctx, x, f.Settings.MaxNeighbors)
}
