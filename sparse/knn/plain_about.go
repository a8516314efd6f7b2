package knn

import (
	"unfold/internal/simd/dist"
	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// hasAbout reports whether about measures a distance.
func hasAbout(d distance.Distance) bool { return d == distance.Manhattan || d == distance.Chebyshev }

// about writes to out[i] the distance of q from row rows[i] of x in single precision.
func about(d distance.Distance, out, q []float32, x vec.Matrix[float32], rows []int32) {
	if d == distance.Manhattan {
		dist.Manhattan(out, q, x.Data, x.Cols, rows)
	} else {
		dist.Chebyshev(out, q, x.Data, x.Cols, rows)
	}
}

// atLeast returns a number that d2 of two rows of n columns does not fall below whose distance is about v.
func atLeast(d distance.Distance, v float32, n int) float64 {
	if d == distance.Manhattan {
		return dist.ManhattanAtLeast(v, n)
	}
	least := dist.ChebyshevAtLeast(v)
	return least * least
}
