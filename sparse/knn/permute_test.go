package knn_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/sparse/knn"
)

// Point order[p] becomes p and keeps its list, and the inverse restores everything.
func TestPermute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		nb := knn.NewNeighbors(n, rapid.IntRange(0, 5).Draw(t, "k"))
		for q := range nb.Index {
			nb.Index[q], nb.Dist2[q] = int32(r.IntN(n)), r.Float64()
		}
		before := &knn.Neighbors{N: n, K: nb.K, Index: slices.Clone(nb.Index), Dist2: slices.Clone(nb.Dist2)}
		order := make([]int32, n)
		for p, i := range r.Perm(n) {
			order[p] = int32(i)
		}
		nb.Permute(order)
		for p, i := range order {
			index, dist2 := nb.Row(p)
			was, length := before.Row(int(i))
			for m, j := range index {
				if order[j] != was[m] || dist2[m] != length[m] {
					t.Fatalf("point %d, now %d: neighbour %d is %d (%v), was %d (%v)", i, p, m, order[j], dist2[m], was[m], length[m])
				}
			}
		}
		nb.Permute(knn.Inverse(order))
		if !slices.Equal(nb.Index, before.Index) || !slices.Equal(nb.Dist2, before.Dist2) {
			t.Fatal("the inverse does not restore the lists")
		}
	})
}
