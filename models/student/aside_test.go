package student

import (
	"context"
	"slices"
	"testing"

	"unfold/models"
	"unfold/sparse/knn"
)

// TestListsAside: the map stays the same if the neighbour lists are stored elsewhere. They are
// fetched once and given back.
func TestListsAside(t *testing.T) {
	x := blobs(300, 6)
	var held *knn.Neighbors
	asked := 0
	learn := func(aside func(*knn.Neighbors) *knn.Neighbors) *Result {
		r, err := Fit(context.Background(), x, Settings{Common: models.Common{Steps: 20, Lists: 12, Aside: aside}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	want := learn(nil)
	got := learn(func(nb *knn.Neighbors) *knn.Neighbors {
		asked++
		held = &knn.Neighbors{N: nb.N, K: nb.K, Index: slices.Clone(nb.Index), Dist2: slices.Clone(nb.Dist2)}
		clear(nb.Dist2) // nothing reads them any more
		return held
	})
	if asked != 1 || got.Neighbors != held || held.K != 12 {
		t.Errorf("asked for %d times, for lists of %d", asked, held.K)
	}
	if !slices.Equal(got.Mu.Data, want.Mu.Data) || !slices.Equal(got.Bandwidth2, want.Bandwidth2) || !slices.Equal(held.Dist2, want.Neighbors.Dist2) {
		t.Error("the map is another one")
	}
}
