package score

import (
	"context"
	"fmt"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/distance"
)

// Placed estimates the trustworthiness of points that were placed on a map and are not part of it.
// It returns the mean and its standard error. x (n x dim) and y (n x d) are the data and places of
// the map's points, px (m x dim) and py (m x d) those of the placed points. A placed point is
// ranked only among the points of the map, with s.K neighbours. The m placed points are a sample of
// population points.
func Placed[T, U vec.Float](ctx context.Context, x vec.Matrix[T], y vec.Matrix[U], px vec.Matrix[T], py vec.Matrix[U], population int, s Settings) (mean, err float64, failed error) {
	k, n := s.K, x.Rows
	if k == 0 {
		k = defaultK
	}
	switch {
	case y.Rows != n || px.Rows != py.Rows || px.Rows == 0 || px.Rows > population:
		return 0, 0, models.BadInputf("score: %d points on the map of %d, %d places of %d placed points", y.Rows, n, py.Rows, px.Rows)
	case k < 1 || 2*k >= n:
		return 0, 0, models.BadInputf("score: %d neighbours of %d points: want 1 to less than half of the points", k, n)
	}
	for _, err := range []error{models.CheckRows(x, nil), models.CheckRows(px, nil), models.CheckRows(y, nil), models.CheckRows(py, nil)} {
		if err != nil {
			return 0, 0, fmt.Errorf("score: %w", err)
		}
	}
	// A placed point is ranked among n points, a point of the map among n-1.
	scale := 2 / (float64(k) * (2*float64(n+1) - 3*float64(k) - 1))
	rows := vec.New[float64](px.Rows, 1)
	var lent par.Lender[rankWork]
	par.Ranges(s.Threads, px.Rows, 1, func(_, from, to int) {
		w := lent.Get()
		defer lent.Put(w)
		for m := from; m < to && ctx.Err() == nil; m++ {
			w.x.out, w.y.out = room(w.x.out, n), room(w.y.out, n)
			for j := range n {
				w.x.out[j] = distance.Between(s.Distance, px.Row(m), x.Row(j))
				w.y.out[j] = distance.Between(distance.Euclidean, py.Row(m), y.Row(j))
			}
			const none = -1 // no point of the map is the placed point
			near := &w.nearest
			near.onMap = nearestOf(near.onMap, w.y.out, none, k)
			near.ranks = near.counting.of(near.ranks, w.x.out, none, near.onMap)
			var madeUp float64
			for _, rank := range near.ranks {
				madeUp += float64(max(int(rank)-k, 0))
			}
			rows.Row(m)[0] = 1 - scale*madeUp
		}
	})
	means, errs := sampleMeans(rows, population)
	return means[0], errs[0], ctx.Err()
}
