package score

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"unfold/internal/testkit/fixtures"
	"unfold/internal/vec"
)

// fixture has the fields of all files in testdata/fixtures/score; the README.md there explains
// them.
type fixture struct {
	Name   string         `json:"name"`
	X      fixtures.Dense `json:"x"`
	Y      fixtures.Dense `json:"y"`
	Labels []int32        `json:"labels"`
	K      int            `json:"k"`
	Values values         `json:"values"`
}

type values struct {
	Trustworthiness, Continuity float64
	Shepard, Pearson            float64
	Triplets, Centroids         float64
	Recall                      map[int]float64
	LOO                         map[int]float64
	RNX                         float64 `json:"rnx_auc"`
}

// densitiesOf returns the densities of the fixtures, as testdata/density.py computed them.
func densitiesOf(t *testing.T) (of map[string]float64) {
	raw, err := os.ReadFile("testdata/density.json")
	if err == nil {
		err = json.Unmarshal(raw, &of)
	}
	if err != nil {
		t.Fatal(err)
	}
	return of
}

// exact returns settings that measure a fixture with all points and pairs.
func (f *fixture) exact() Settings {
	return Settings{K: f.K, Sample: -1, Pairs: f.X.Rows * f.X.Rows, Threads: 2}
}

func TestFixtures(t *testing.T) {
	density := densitiesOf(t)
	fixtures.Each(t, "score", func(t *testing.T, f *fixture) {
		const tolerance = 1e-12
		ctx := context.Background()
		want := f.Values
		s := f.exact()
		s.Recall = slices.Sorted(maps.Keys(want.Recall))
		got, err := Measure(ctx, f.X.Matrix, f.Y.Matrix, s)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Exact || !got.Shepard.Exact || !got.Triplets.Exact {
			t.Fatalf("not exact: %+v", got)
		}
		class, err := Centroids(ctx, f.X.Matrix, f.Y.Matrix, f.Labels, s)
		if err != nil {
			t.Fatal(err)
		}
		ks := slices.Sorted(maps.Keys(want.LOO))
		loo, err := LeaveOneOut(ctx, f.Y.Matrix, f.Labels, ks, s)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []struct {
			name      string
			got, want float64
		}{
			{"trustworthiness", got.Trustworthiness, want.Trustworthiness}, {"continuity", got.Continuity, want.Continuity},
			{"density", got.Density, density[f.Name+".json"]},
			{"R_NX", got.RNX, want.RNX}, {"Shepard", got.Shepard.Spearman, want.Shepard}, {"Pearson", got.Shepard.Pearson, want.Pearson},
			{"triplets", got.Triplets.Share, want.Triplets}, {"centroids", class.Spearman, want.Centroids},
		} {
			fixtures.CloseTo(t, v.name, v.got, v.want, tolerance)
		}
		fixtures.Close(t, "recall", got.RecallAt, sorted(want.Recall), tolerance)
		fixtures.Close(t, "leave one out", loo.Share, sorted(want.LOO), tolerance)
	})
}

// sorted returns the values of m ordered by key.
func sorted(m map[int]float64) (out []float64) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, m[k])
	}
	return out
}

// Single precision changes a figure only as far as it swaps near-equal distances.
func TestFixturesInSinglePrecision(t *testing.T) {
	fixtures.Each(t, "score", func(t *testing.T, f *fixture) {
		s := f.exact()
		double, err := Measure(context.Background(), f.X.Matrix, f.Y.Matrix, s)
		if err != nil {
			t.Fatal(err)
		}
		single, err := Measure(context.Background(), vec.Convert[float32](f.X.Matrix), vec.Convert[float32](f.Y.Matrix), s)
		if err != nil {
			t.Fatal(err)
		}
		fixtures.CloseTo(t, "R_NX", single.RNX, double.RNX, 1e-4)
		fixtures.CloseTo(t, "Shepard", single.Shepard.Spearman, double.Shepard.Spearman, 1e-5)
		fixtures.CloseTo(t, "triplets", single.Triplets.Share, double.Triplets.Share, 1e-5)
	})
}
