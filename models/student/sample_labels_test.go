package student

import (
	"fmt"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/prior"
	"unfold/sparse/knn"
)

// TestSampleIsAFitOfItsRows: the map of a sample is that of a fit of its rows with their labels. It
// keeps its lists to itself, because only those of the whole map are stored elsewhere.
func TestSampleIsAFitOfItsRows(t *testing.T) {
	const n, m = 1000, 200
	x := modeltest.Blobs(n, 4, 3)
	nb, err := knn.Graph(t.Context(), x, 8, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	s := Settings{Common: models.Common{Dims: 2, Steps: 20, Lists: 30}, Options: Options{Supervision: 0.9}}
	for i := range n {
		s.Labels = append(s.Labels, fmt.Sprint(i%3))
	}
	set, err := s.WithDefaults()
	if err != nil {
		t.Fatal(err)
	}
	set.Aside = func(nb *knn.Neighbors) *knn.Neighbors {
		t.Errorf("lists of %d points are stored elsewhere", nb.N)
		return nb
	}
	frame, _, err := set.learnSample(t.Context(), prior.Points{X: x, Neighbors: nb}, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := stratified(n, m, set.Seed)
	fit := func(labels []string) (out vec.Matrix[float64]) {
		s.Labels, s.Weight = labels, Weight(m, m*DefaultNeighbors, 0) // as of sheets
		r, err := Fit(t.Context(), vec.Take(x, rows), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		return takeRows(r.Mu, order(r.Of))
	}
	want := fit(take(set.Labels, rows))
	if got := vec.Take(frame, rows); !slices.Equal(got.Data, want.Data) {
		t.Error("the sample's map is not that of its rows and labels")
	}
	if other := fit(set.Labels[:m]); slices.Equal(other.Data, want.Data) {
		t.Error("labels have no effect")
	}
}
