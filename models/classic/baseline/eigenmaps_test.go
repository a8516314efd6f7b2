package baseline

import (
	"math"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/sparse/knn"
)

// Learnt positions satisfy (6), also if eigenvectors are found by iteration: by (7) each is the
// mean of its neighbours' positions. They have the same bits for any number of threads.
func TestEigenmapsSatisfyTheirEquation(t *testing.T) {
	for _, c := range []struct {
		name string
		m    int
	}{{"dense", 200}, {"iterated", 700}} {
		t.Run(c.name, func(t *testing.T) {
			x := modeltest.Events(6, c.m, 5)
			var last vec.Matrix[float64]
			for _, threads := range []int{1, 3} {
				f, err := Fit(t.Context(), Eigenmaps, x, Settings{Common: models.Common{Dims: 3, Neighbors: 7, Threads: threads}})
				if err != nil {
					t.Fatal(err)
				}
				m := f.model.(*scaled)
				if threads > 1 && !slices.Equal(m.x.Data, last.Data) {
					t.Error("three threads give other places")
				}
				last = m.x
				near, err := knn.Graph(t.Context(), x, m.k, knn.Settings{Threads: threads})
				if err != nil {
					t.Fatal(err)
				}
				lists, err := neighborLists(t.Context(), x, near, threads)
				if err != nil {
					t.Fatal(err)
				}
				w := affinities(lists)
				for c := range m.x.Cols {
					var unit float64
					for i := range w.N {
						var degree, sum float64
						to, s := w.Row(i)
						for p, j := range to {
							degree, sum = degree+s[p], sum+s[p]*m.x.Row(int(j))[c]
						}
						at := m.x.Row(i)[c]
						unit += degree * at * at
						if want := sum / degree / (1 - m.values[c]); math.Abs(at-want) > 1e-8 {
							t.Fatalf("column %d, point %d: at %g, want %g", c, i, at, want)
						}
					}
					if math.Abs(unit-1) > 1e-9 {
						t.Errorf("column %d: X'D X is %g", c, unit)
					}
				}
			}
		})
	}
}

// A model file with impossible eigenvalues is rejected.
func TestEigenvaluesAreChecked(t *testing.T) {
	for _, c := range []struct {
		name  string
		value float64
		fine  bool
	}{{"least", 1e-9, true}, {"largest", 2, true}, {"none", 0, false}, {"too large", 2.1, false}, {"not a number", math.NaN(), false}} {
		if err := (diffusion{values: []float64{0.1, c.value}}).check(); (err == nil) != c.fine {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
