package student

import (
	"math"
	"slices"
	"testing"

	"unfold/models"
	"unfold/sparse/knn"
)

// TestGivenOtherDistances: if the given distances are not those of the rows, only the lists are
// known, so no edge leads beyond them.
func TestGivenOtherDistances(t *testing.T) {
	const n, k, lists = 400, 8, 14
	x := blobs(n, 5)
	nb := neighbors(t, x, lists)
	g := &knn.Given{N: n, K: lists, Index: nb.Index}
	for i, d := range nb.Dist2 {
		g.Dist = append(g.Dist, float32(math.Sqrt(d)*(1+2*float64(i/lists)/n)))
	}
	s, err := Settings{Common: models.Common{Dims: 2, Steps: 10, Neighbors: k, Given: g}}.WithDefaults()
	if err != nil {
		t.Fatal(err)
	}
	ranks := s.ranks(n, lists)
	if last := ranks[len(ranks)-1]; len(ranks) == 0 || last != lists {
		t.Errorf("further edges lead to ranks %v in lists of %d", ranks, lists)
	}
	g.Dist = nil
	if ranks := s.ranks(n, lists); ranks[len(ranks)-1] <= lists {
		t.Errorf("with the rows' distances they lead to ranks %v", ranks)
	}
}

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
