package live

import (
	"math"
	"slices"

	"unfold/internal/quantile"
	"unfold/internal/vec"
)

// Moves are the distances that points moved, in percent of the map's diameter.
type Moves struct {
	// Points is the number of points.
	Points           int
	Median, P90, P99 float64
}

// Diameter returns twice the radius around the mean place that contains 99.5% of the places.
func Diameter(mu vec.Matrix[float64]) float64 {
	if mu.Rows == 0 {
		return 0
	}
	centre, r := columnMeans(mu), make([]float64, mu.Rows)
	for i := range r {
		r[i] = math.Sqrt(vec.SquaredDistance(mu.Row(i), centre))
	}
	slices.Sort(r)
	return 2 * quantile.Of(r, 0.995)
}

// Measure returns the distances between rows of from and to, the places of the same points on two
// maps, relative to the diameter.
func Measure(from, to vec.Matrix[float64], diameter float64) Moves {
	m := Moves{Points: from.Rows}
	if from.Rows == 0 || diameter == 0 {
		return m
	}
	far := make([]float64, from.Rows)
	for i := range far {
		far[i] = 100 * math.Sqrt(vec.SquaredDistance(from.Row(i), to.Row(i))) / diameter
	}
	slices.Sort(far)
	m.Median, m.P90, m.P99 = quantile.Of(far, .5), quantile.Of(far, .9), quantile.Of(far, .99)
	return m
}
