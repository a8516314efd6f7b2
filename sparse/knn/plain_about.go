package knn

import (
	"math"

	"unfold/internal/simd/dist"
	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// about writes to out[i] the Manhattan or Chebyshev distance between q and row rows[i] of x, in
// single precision.
func about(d distance.Distance, out, q []float32, x vec.Matrix[float32], rows []int32) {
	if d == distance.Manhattan {
		dist.Manhattan(out, q, x.Data, x.Cols, rows)
	} else {
		dist.Chebyshev(out, q, x.Data, x.Cols, rows)
	}
}

// beyond returns a threshold for about: if the distance by about exceeds it, d2 of the rows of n
// columns is above most.
func beyond(d distance.Distance, most float64, n int) float64 {
	switch {
	case most < 0:
		return math.Inf(-1)
	case d == distance.Manhattan:
		return dist.ManhattanBeyond(most, n)
	}
	return dist.ChebyshevBeyond(math.Sqrt(most))
}
