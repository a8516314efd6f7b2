package graph

import (
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/vec"
)

// Every point occurs once in the order, and the shuffled points of a line end up within a few
// positions of their neighbours.
func TestBreadthFirst(t *testing.T) {
	const n, k = 1000, 4
	x := vec.New[float64](n, 1)
	for p, i := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		x.Data[i] = float64(p)
	}
	nb := neighbors(t, x, k)
	order := BreadthFirst(nb, k)
	sorted := slices.Sorted(slices.Values(order))
	for p, i := range sorted {
		if i != int32(p) {
			t.Fatalf("not a permutation: %d stands at %d of the sorted order", i, p)
		}
	}
	nb.Permute(order)
	var farthest int
	for i := range n {
		to, _ := nb.Row(i)
		for _, j := range to {
			farthest = max(farthest, int(j)-i, i-int(j))
		}
	}
	if farthest > 4*k {
		t.Errorf("a point and its neighbour are %d places apart, want at most %d", farthest, 4*k)
	}
}
