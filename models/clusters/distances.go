package clusters

import (
	"context"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/graph"
)

// FindDistances finds the clusters of n points with given distances d (n x n). d has to be
// symmetric up to rounding: core distances use rows of d, and edges the smaller of two values. The
// diagonal is ignored. The distance in the settings is ignored, and the search is always exact. It
// takes O(n^2) time and O(n) memory. The error is a *models.SettingError, a *models.RowError or
// another that matches models.ErrBadInput, or that of the context.
func FindDistances[T vec.Float](ctx context.Context, d vec.Matrix[T], s Settings) (*Clusters, error) {
	s, err := s.Of(d.Rows).Filled()
	if err != nil {
		return nil, err
	}
	n := d.Rows
	if n < 2 || d.Cols != n {
		return nil, models.BadInputf("the distances are %d x %d; give those of all rows from each other, n x n with n of at least 2", n, d.Cols)
	}
	if err := checkDistances(d); err != nil {
		return nil, err
	}
	m := min(s.MinSamples, n-1)
	core2, inner2 := make([]float64, n), make([]float64, n)
	par.Ranges(s.Threads, n, predictedTogether, func(_, from, to int) {
		others := make([]float64, 0, n)
		for i := from; i < to && ctx.Err() == nil; i++ {
			others = others[:0]
			for j, v := range d.Row(i) {
				if j != i {
					others = append(others, float64(v)*float64(v))
				}
			}
			slices.Sort(others)
			if core2[i] = others[m-1]; m > 1 {
				inner2[i] = others[m-2]
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	tree, err := primTree(ctx, d, core2)
	if err != nil {
		return nil, err
	}
	if s.Ties == Apart {
		tree = apartGiven(d, core2, tree)
	}
	s.Lengths = false // the values here are squares of distances
	return found(core2, inner2, tree, s), nil
}

// checkDistances returns a *models.RowError for rows that are not finite, and an error for negative
// distances.
func checkDistances[T vec.Float](d vec.Matrix[T]) error {
	if err := models.CheckRows(d, nil); err != nil {
		return err
	}
	for i := range d.Rows {
		for j, v := range d.Row(i) {
			if v < 0 {
				return models.BadInputf("row %d, value %d is %v: distances are not negative", i, j, v)
			}
		}
	}
	return nil
}

// primTree returns a minimum spanning tree under mutual reachability by Prim's algorithm, which
// needs no neighbour lists. Dist2 is the squared reachability.
func primTree[T vec.Float](ctx context.Context, d vec.Matrix[T], core2 []float64) ([]graph.Edge, error) {
	n := d.Rows
	reach2, from, open := make([]float64, n), make([]int32, n), make([]int32, 0, n)
	for j := 1; j < n; j++ {
		reach2[j] = math.Inf(1)
		open = append(open, int32(j))
	}
	tree := make([]graph.Edge, 0, n-1)
	for at := int32(0); len(open) > 0; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		best := 0
		for k, j := range open {
			if r2 := max(core2[at], core2[j], squareOf(d, at, j)); r2 < reach2[j] {
				reach2[j], from[j] = r2, at
			}
			if reach2[j] < reach2[open[best]] {
				best = k
			}
		}
		at = open[best]
		open[best] = open[len(open)-1]
		open = open[:len(open)-1]
		tree = append(tree, graph.Edge{I: min(at, from[at]), J: max(at, from[at]), Dist2: reach2[at]})
	}
	return tree, nil
}

// squareOf returns the square of the given distance of points i and j, the smaller of two values.
func squareOf[T vec.Float](d vec.Matrix[T], i, j int32) float64 {
	v := float64(min(d.Row(int(i))[j], d.Row(int(j))[i]))
	return v * v
}

// NewDistancePredictor makes a predictor for clusters of FindDistances. Rows of Predict are then
// the distances of new points from the n points of the clusters.
func NewDistancePredictor[T vec.Float](c *Clusters) *Predictor[T] {
	h := c.Hierarchy()
	s := c.set
	s.Lengths = false
	return &Predictor[T]{h: h, x: vec.Matrix[T]{Cols: len(h.Of)}, set: s.knn(), shares: newShares(h, 1), length: s.Length, given: true}
}

// nearestGiven adds the k nearest points of a row of distances.
func nearestGiven[T vec.Float](to nearest, row []T, k int) nearest {
	for j, v := range row {
		to = to.add(neighbor{int32(j), float64(v) * float64(v)}, k)
	}
	return to
}
