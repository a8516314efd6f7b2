package knn

import (
	"math"
	"testing"

	"unfold/sparse/distance"
)

// TestLogRatios: lists of Euclidean distances have their squares, and points at their nearest do not
// count.
func TestLogRatios(t *testing.T) {
	nb := NewNeighbors(3, 2)
	copy(nb.Dist2, []float64{0, 1, 1, math.E * math.E, 4, 4})
	for d, want := range map[distance.Distance]float64{distance.Euclidean: 1, distance.Manhattan: 2} {
		if sum, n := nb.LogRatios(d); math.Abs(sum-want) > 1e-12 || n != 2 {
			t.Errorf("%v: %v of %d points, want %v of 2", d, sum, n, want)
		}
	}
}
