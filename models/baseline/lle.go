package baseline

import (
	"context"
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// neighborLists returns the k nearest neighbours of the rows of x, and where their graph
// falls apart the ends of the shortest bridges beside them.
func neighborLists(ctx context.Context, x vec.Matrix[float32], k, threads int) ([][]int32, error) {
	near, err := knn.Graph(ctx, x, k, knn.Settings{Threads: threads})
	if err != nil {
		return nil, err
	}
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

// add adds v to an element and to its mirror image, once.
func add(cost *mat.SymDense, i, j int, v float64) { cost.SetSym(i, j, cost.At(i, j)+v) }

// errUnsolved says that gonum found no eigenvectors.
var errUnsolved = errors.New("the eigenvalue iteration did not converge")

// least returns (4) or (8), m x d: the d unit eigenvectors of the least eigenvalues of a sum
// of m costs, beside the constant one.
func least(ctx context.Context, m, d int, cost func(sum *mat.SymDense, i int) error) (vec.Matrix[float64], error) {
	out, sum := vec.New[float64](m, d), mat.NewSymDense(m, nil)
	for i := range m {
		if err := cost(sum, i); err != nil {
			return out, err
		}
	}
	if err := ctx.Err(); err != nil {
		return out, err
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(sum, true) {
		return out, errUnsolved
	}
	var all mat.Dense
	eigen.VectorsTo(&all)
	for i := range m {
		for c := range d {
			out.Row(i)[c] = all.At(i, 1+c)
		}
	}
	orient(out)
	return out, ctx.Err()
}

// orient turns columns so that the entry of largest magnitude, the first of equals, is
// positive.
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

// reconstruct adds the cost of point i in (4), |x_i - sum_j w_ij x_j|^2.
func reconstruct(cost *mat.SymDense, y vec.Matrix[float64], i int, near []int32) {
	w := newBarycenter(len(near), y.Cols).of(y.Row(i), y, near)
	add(cost, i, i, 1)
	for a, j := range near {
		add(cost, i, int(j), -w[a])
		for b := range a + 1 {
			add(cost, int(j), int(near[b]), w[a]*w[b])
		}
	}
}
