package live

import (
	"slices"
	"testing"

	"unfold/models"
	"unfold/models/student"
	"unfold/sparse/knn"
)

// TestLongerLists: a major refresh of few points has lists as long as those of a fit, with the
// nearest neighbours. Any other refresh, one of many points and one with long lists use the
// existing lists.
func TestLongerLists(t *testing.T) {
	s, err := student.Settings{Common: models.Common{Dims: 2, Neighbors: 4}}.WithDefaults()
	if err != nil {
		t.Fatal(err)
	}
	few, many := blobs(300, 3, 1), blobs(mostSearched+1, 2, 1)
	fit := min(s.SearchLists(few.Rows), few.Rows-1)
	whole, err := knn.Graph(t.Context(), few, fit, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	short, none := whole.First(6), knn.NewNeighbors(many.Rows, 6)
	if fit <= short.K {
		t.Fatalf("a fit searches for %d neighbours", fit)
	}
	for name, c := range map[string]struct {
		kind Kind
		nb   *knn.Neighbors
		want *knn.Neighbors
	}{
		"a major one": {Major, short, whole}, "an ordinary one": {Ordinary, short, short}, "a gentle one": {Gentle, short, short},
		"with long lists": {Major, whole, whole}, "of many points": {Major, none, none},
	} {
		x := few
		if c.nb == none {
			x = many
		}
		got, err := (&Map{}).longer(t.Context(), c.kind, x, c.nb, s)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got.K != c.want.K || !slices.Equal(got.Index, c.want.Index) || c.nb == c.want && got != c.nb {
			t.Errorf("%s: lists of %d neighbours, want %d", name, got.K, c.want.K)
		}
	}
}
