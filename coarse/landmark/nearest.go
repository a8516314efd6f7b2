package landmark

import (
	"context"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// direct is the maximum number of multiplications for which nearest compares every node with every
// landmark. Beyond it, it builds an index.
const direct = 1 << 21

// nearest returns for every node the position of its nearest landmark (the first of equally near
// ones) and their squared distance, both exact.
func nearest[T vec.Float](ctx context.Context, x vec.Matrix[T], nodes, landmarks []int32, threads int) (of []int32, dist2 []float64, err error) {
	work := len(nodes) * len(landmarks) * x.Cols
	if x32, ok := any(x).(vec.Matrix[float32]); ok && work > direct {
		index := knn.NewExact(vec.Take(x32, landmarks))
		query := x32
		if len(nodes) != x.Rows {
			query = vec.Take(x32, nodes)
		}
		nb, err := index.Search(ctx, query, 1, knn.Settings{Threads: threads})
		if err != nil {
			return nil, nil, err
		}
		return nb.Index, nb.Dist2, nil
	}
	of, dist2 = make([]int32, len(nodes)), make([]float64, len(nodes))
	if work < 1<<16 {
		threads = 1 // not worth a goroutine
	}
	par.Ranges(threads, len(nodes), 256, func(_, from, to int) {
		if ctx.Err() != nil {
			return
		}
		for u := from; u < to; u++ {
			xu := x.Row(int(nodes[u]))
			dist2[u] = vec.SquaredDistance(xu, x.Row(int(landmarks[0])))
			for a := 1; a < len(landmarks); a++ {
				if d := vec.SquaredDistance(xu, x.Row(int(landmarks[a]))); d < dist2[u] {
					of[u], dist2[u] = int32(a), d
				}
			}
		}
	})
	return of, dist2, ctx.Err()
}
