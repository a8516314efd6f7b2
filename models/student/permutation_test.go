package student

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
)

// TestPermutationOfHeavyTails: permuting the rows permutes the map if every pair counts, up to
// signs and rounding.
func TestPermutationOfHeavyTails(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := modeltest.Blobs(rapid.IntRange(12, 70).Draw(t, "n"), 4, rapid.Uint64().Draw(t, "data"))
		s := Settings{Common: models.Common{Dims: rapid.IntRange(1, 3).Draw(t, "d"), Neighbors: rapid.IntRange(2, 6).Draw(t, "k"), Steps: 5, Threads: 1}, Options: Options{Tolerance: 1e-14}}
		perm := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 1)).Perm(x.Rows)
		a, err := Fit(context.Background(), x, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Fit(context.Background(), vec.Take(x, perm), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		var scale float64
		for _, v := range a.Mu.Data {
			scale = max(scale, math.Abs(v))
		}
		for q, i := range perm {
			da := math.Sqrt(vec.SquaredDistance(a.Mu.Row(i), a.Mu.Row(perm[0])))
			db := math.Sqrt(vec.SquaredDistance(b.Mu.Row(q), b.Mu.Row(0)))
			if ea, eb := a.Student.Error2[i], b.Student.Error2[q]; math.Abs(da-db) > 1e-4*scale || math.Abs(ea-eb) > 1e-3*ea {
				t.Fatalf("row %d is %v (error^2 %v) from the first, permuted %v (%v)", i, da, ea, db, eb)
			}
		}
	})
}
