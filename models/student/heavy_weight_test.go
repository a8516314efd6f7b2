package student

import (
	"context"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/score"
)

// TestHeavyWeightsKeepGroups: steps do not overshoot even if dissimilar pairs weigh far more than
// by default. Three groups without inner order, far apart in 64 dimensions, stay apart on the map.
func TestHeavyWeightsKeepGroups(t *testing.T) {
	const n, dim = 1000, 64
	r := rand.New(rand.NewPCG(44, 64))
	x, group := vec.New[float32](n, dim), make([]int32, n)
	for i := range n {
		group[i] = int32(i % 3)
		for c := range dim {
			x.Row(i)[c] = 3*float32(i%3) + float32(r.NormFloat64())
		}
	}
	for _, weight := range []float64{0, 2.4, 10} {
		s := Settings{Common: models.Common{Steps: 200}}
		s.Weight = weight
		m, err := Fit(context.Background(), x, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := score.LeaveOneOut(t.Context(), m.Mu, group, []int{1}, score.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		near, err := score.Neighborhoods(t.Context(), x, m.Mu, score.Settings{K: 10})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("weight %v: 1-NN %.3f, trustworthiness %.3f", weight, a.Share[0], near.Trustworthiness)
		if a.Share[0] < 0.995 || near.Trustworthiness < 0.89 {
			t.Errorf("weight %v: 1-NN %.3f, trustworthiness %.3f", weight, a.Share[0], near.Trustworthiness)
		}
	}
}
