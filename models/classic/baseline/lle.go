package baseline

import (
	"context"
	"slices"

	"unfold/internal/vec"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// neighborLists returns near, the k nearest neighbours of the rows of x. If their graph has several
// components, it adds the ends of the shortest bridges.
func neighborLists(ctx context.Context, x vec.Matrix[float32], near *knn.Neighbors, threads int) ([][]int32, error) {
	edges, err := graph.Connected(ctx, x, near, threads)
	if err != nil {
		return nil, err
	}
	lists := make([][]int32, x.Rows)
	for i := range lists {
		index, _ := near.Row(i)
		lists[i] = slices.Clone(index)
	}
	within, _ := graph.Symmetrize(near)
	for _, bridge := range edges[len(within):] {
		lists[bridge.I] = append(lists[bridge.I], bridge.J)
		lists[bridge.J] = append(lists[bridge.J], bridge.I)
	}
	return lists, nil
}

// orient changes the signs of columns so that the entry of largest magnitude, the first of equals,
// is positive.
func orient(x vec.Matrix[float64]) {
	for c := range x.Cols {
		largest := 0.0
		for i := range x.Rows {
			if v := x.Row(i)[c]; max(v, -v) > max(largest, -largest) {
				largest = v
			}
		}
		for i := 0; largest < 0 && i < x.Rows; i++ {
			x.Row(i)[c] = -x.Row(i)[c]
		}
	}
}

// reconstruct returns the cost of point i in (4), |x_i - sum_j w_ij x_j|^2, as a patch.
func reconstruct(y vec.Matrix[float64], i int, near []int32) patch {
	p := patch{append([]int32{int32(i)}, near...), vec.New[float64](1+len(near), 1)}
	p.f.Data[0] = 1
	for a, w := range newBarycenter(len(near), y.Cols).of(y.Row(i), y, near) {
		p.f.Data[1+a] = -w
	}
	return p
}
