package score

import (
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/knn"
)

// Regression measures how well a point's neighbours on the map predict numeric columns.
type Regression struct {
	// K are the numbers of neighbours.
	K []int
	// Error[c][m] is the error of column c with K[m] neighbours, relative to predicting the overall
	// mean: 0 is perfect, 1 is no better than the mean.
	Error [][]float64
	// Points is the number of points.
	Points int
}

// Regress predicts every column of values at every point as the mean of its k nearest other points
// on the map, for each k of ks. A column has one value for each point of the map (n x d).
func Regress[T vec.Float](ctx context.Context, points vec.Matrix[T], values [][]float64, ks []int, s Settings) (*Regression, error) {
	n := points.Rows
	for c, v := range values {
		if len(v) != n {
			return nil, models.BadInputf("score: target %d has %d values for %d points", c+1, len(v), n)
		}
		if i := slices.IndexFunc(v, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }); i >= 0 {
			return nil, models.BadInputf("score: target %d of point %d is not a finite number", c+1, i)
		}
	}
	most, err := largest(ks, n-1)
	if err != nil {
		return nil, err
	}
	nb, err := knn.Graph(ctx, points, most, knn.Settings{Threads: s.Threads})
	if err != nil {
		return nil, fmt.Errorf("score: %w", err)
	}
	r := &Regression{K: slices.Clone(ks), Points: n}
	for c, v := range values {
		e, ok := relativeErrors(nb, v, ks)
		if !ok {
			return nil, models.BadInputf("score: target %d has the same value everywhere", c+1)
		}
		r.Error = append(r.Error, e)
	}
	return r, nil
}

// relativeErrors returns sqrt(sum_i (v_i - mean of v over i's k nearest)^2 /
// sum_i (v_i - mean of v)^2) for each k, and whether v varies.
func relativeErrors(nb *knn.Neighbors, v []float64, ks []int) ([]float64, bool) {
	var mean, total float64
	for _, x := range v {
		mean += x / float64(len(v))
	}
	errs := make([]float64, len(ks))
	for i, x := range v {
		total += (x - mean) * (x - mean)
		near, _ := nb.Row(i)
		for m, k := range ks {
			var sum float64
			for _, j := range near[:k] {
				sum += v[j]
			}
			d := x - sum/float64(k)
			errs[m] += d * d
		}
	}
	if slices.Min(v) == slices.Max(v) {
		return nil, false
	}
	for m := range errs {
		errs[m] = math.Sqrt(errs[m] / total)
	}
	return errs, true
}
