package student

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
)

// TestNearWeights: weights have the mean 1, follow the power of the rank, and are exactly 1 without
// decay.
func TestNearWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, p := rapid.IntRange(1, 40).Draw(t, "k"), rapid.Float64Range(-1, mostRankDecay).Draw(t, "p")
		w := nearWeights(k, p)
		var sum float64
		for m, v := range w {
			sum += v
			if want := w[0] * math.Pow(float64(m+1), -max(p, 0)); math.Abs(v-want) > 1e-12*w[0] {
				t.Fatalf("rank %d weighs %g, want %g", m+1, v, want)
			}
		}
		if math.Abs(sum-float64(k)) > 1e-9 {
			t.Fatalf("%d edges weigh %g", k, sum)
		}
	})
	for _, p := range []float64{0, -1} {
		if got := nearWeights(6, p); !slices.Equal(got, []float64{1, 1, 1, 1, 1, 1}) {
			t.Errorf("decay %g: %v", p, got)
		}
	}
}

// TestNearestIsNearest: with the default decay, the nearest neighbour in the data is the nearest on
// the map more often than with equal weights.
func TestNearestIsNearest(t *testing.T) {
	x := modeltest.Blobs(600, 8, 3)
	kept := func(decay float64) (share float64) {
		r, err := Fit(context.Background(), x, Settings{Common: models.Common{Seed: 1}, Options: Options{RankDecay: decay}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if decay > 0 && r.Settings.RankDecay != decay {
			t.Errorf("the fit had decay %g, want %g", r.Settings.RankDecay, decay)
		}
		near := neighbors(t, x, 1)
		onMap := neighbors(t, vec.Convert[float32](r.Mu), 1)
		for i := range x.Rows {
			a, _ := near.Row(i)
			b, _ := onMap.Row(i)
			if a[0] == b[0] {
				share += 1 / float64(x.Rows)
			}
		}
		return share
	}
	if equal, ranked := kept(-1), kept(DefaultRankDecay); ranked < equal+.05 {
		t.Errorf("the nearest is nearest for %.3f of the points, with equal weights for %.3f", ranked, equal)
	}
}
