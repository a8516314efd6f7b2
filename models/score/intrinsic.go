package score

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/vec"
	"unfold/sparse/distance"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// IntrinsicDimension estimates the dimension of the manifold of the rows from the ratios mu_i = r_2
// / r_1 of the distances to the two nearest other rows (knn.Neighbors.LogRatios). The unbiased estimate
// is
//
//	d = (n - 1) / sum_i log mu_i
//
// It uses at most 2,000 rows, fewer if rows are long, spread over the whole input. The scale of the
// estimate is therefore coarser than that of all rows. Equal rows count once, and rows with a value
// that is not finite are skipped. It returns NaN if there are too few different rows, or if the
// estimate exceeds twice the number of values. The latter happens for rows on a lattice, whose two
// nearest are equally far.
func IntrinsicDimension(ctx context.Context, x vec.Matrix[float32], d distance.Distance, threads int) (float64, error) {
	const rows, work = 2000, 1 << 28
	m := min(x.Rows, rows, max(50, int(math.Sqrt(work/float64(max(x.Cols, 1))))))
	var sample []int32
	for i := range m {
		if row := int32(int64(i) * int64(x.Rows) / int64(m)); vec.Finite(x.Row(int(row))) {
			sample = append(sample, row)
		}
	}
	different := vec.Take(x, sample)
	if unique, _, _ := graph.Collapse(different); len(unique) < len(sample) {
		different = vec.Take(different, unique)
	}
	if different.Rows < 3 {
		return math.NaN(), nil
	}
	nb, err := knn.Graph(ctx, different, 2, knn.Settings{Threads: threads, Distance: d})
	if err != nil {
		return math.NaN(), fmt.Errorf("score: intrinsic dimension: %w", err)
	}
	sum, n := nb.LogRatios(d)
	free := float64(n - 1)
	if n < nb.N || !(sum > 0) || math.IsInf(sum, 0) || free > 2*float64(x.Cols)*sum {
		return math.NaN(), nil
	}
	return free / sum, nil
}
