package student

import (
	"math"

	"unfold/sparse/distance"
	"unfold/sparse/knn"
)

// Intrinsic estimates the dimension of the manifold that the points lie on (knn.Neighbors.LogRatios).
// It returns 0 if the dimension is unknown: for lists of one neighbour, and if all points have two
// neighbours at one distance, as on a lattice.
func Intrinsic(nb *knn.Neighbors, d distance.Distance) float64 {
	if nb.K < 2 {
		return 0
	}
	sum, n := nb.LogRatios(d)
	if !(sum > 0) || math.IsInf(sum, 0) {
		return 0
	}
	return float64(n) / sum
}

// Curves and sheets, of up to flat dimensions, fold on the map if dissimilar pairs weigh more than by
// LeastRatio. Points of full dimensions and more keep more of their neighbours with MostRatio
// (docs/decisions/heavy-tails.md).
const flat, full = 4, 6

// ratio returns the least default of sum D / sum S for points of the intrinsic dimension dim:
// LeastRatio, rising to MostRatio from flat to full dimensions. 0 stands for an unknown dimension.
func ratio(dim float64) float64 {
	return LeastRatio + (MostRatio-LeastRatio)*min(1, max(0, (dim-flat)/(full-flat)))
}
