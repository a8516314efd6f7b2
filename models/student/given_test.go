package student

import (
	"math"
	"slices"
	"testing"

	"unfold/models"
	"unfold/sparse/knn"
)

// TestGivenOwnDistances: given neighbours at the rows' own distances, in any unit, give the map of
// neighbours without distances. Further edges then reach beyond the lists.
func TestGivenOwnDistances(t *testing.T) {
	const n, k = 400, 9
	x := blobs(n, 5)
	nb := neighbors(t, x, k)
	learn := func(unit float64) []float64 {
		g := &knn.Given{N: n, K: k, Index: nb.Index}
		for _, d := range nb.Dist2 {
			if unit > 0 {
				g.Dist = append(g.Dist, float32(unit*math.Sqrt(d)))
			}
		}
		r, err := Fit(t.Context(), x, Settings{Common: models.Common{Steps: 10, Neighbors: 8, Given: g}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r.Mu.Data
	}
	want := learn(0)
	for _, unit := range []float64{1, 7} {
		if !slices.Equal(learn(unit), want) {
			t.Errorf("the rows' distances times %v make another map", unit)
		}
	}
}
