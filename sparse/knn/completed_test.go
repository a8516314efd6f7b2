package knn_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	points "unfold/sparse/graph"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

// Exact lists stay as they are. Of others, the nearest point that any list knows comes first, and
// only nearer pairs displace a pair.
func TestCompletedLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(4, 40).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "k")
		x := vec.New[float32](n, 2)
		for i := range x.Data {
			x.Data[i] = float32(rapid.IntRange(-4, 4).Draw(t, "value"))
		}
		unique, _, _ := points.Collapse(x)
		if x = vec.Take(x, unique); x.Rows <= k {
			t.Skip("too few different rows")
		}
		exact := knntest.BruteGraph(x, k)
		if got := exact.Completed(3); !knntest.Equal(got, exact) {
			t.Fatalf("exact lists %v become %v", exact, got)
		}
		g := &knn.Given{N: x.Rows, K: k}
		for i := range x.Rows {
			all := make([]int32, 0, x.Rows-1)
			for j := range int32(x.Rows) {
				if int(j) != i {
					all = append(all, j)
				}
			}
			g.Index = append(g.Index, rapid.Permutation(all).Draw(t, "list")[:k]...)
		}
		of := make([]int32, x.Rows)
		for i := range of {
			of[i] = int32(i)
		}
		given, err := knn.FromGiven(t.Context(), x, of, g, k, k, knn.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		got := given.Completed(1)
		for i := range x.Rows {
			index, dist2 := got.Row(i)
			nearest := math.Inf(1)
			for j := range x.Rows {
				near, far := given.Row(j)
				p := slices.Index(near, int32(i))
				if j == i {
					nearest = min(nearest, far[0])
				} else if p >= 0 {
					nearest = min(nearest, far[p])
					if !slices.Contains(index, int32(j)) && far[p] < dist2[k-1] {
						t.Fatalf("point %d lists %v and not %d, which is nearer and lists it", i, index, j)
					}
				}
			}
			if dist2[0] != nearest || !slices.IsSorted(dist2) {
				t.Fatalf("point %d has neighbours at %v, and one that is known at %v", i, dist2, nearest)
			}
		}
	})
}
