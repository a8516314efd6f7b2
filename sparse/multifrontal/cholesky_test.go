package multifrontal

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd/spd"
	"unfold/internal/vec"
	"unfold/sparse"
)

// system returns a positive definite diag(diagonal) - w with random weights of either sign for the
// edges of a graph, and the same as a dense matrix.
func system(rnd *rand.Rand, lists [][]int32) (w *sparse.CSR, diagonal []float64, dense vec.Matrix[float64]) {
	n := len(lists)
	diagonal, dense = make([]float64, n), vec.New[float64](n, n)
	var i, j []int32
	var v []float64
	for p, list := range lists {
		for _, q := range list {
			if int(q) > p {
				x := rnd.Float64() - .5
				i, j, v = append(i, int32(p), q), append(j, q, int32(p)), append(v, x, x)
				dense.Row(p)[q], dense.Row(int(q))[p] = -x, -x
			}
		}
		diagonal[p] = 1 + .5*float64(len(list))
		dense.Row(p)[p] = diagonal[p]
	}
	return sparse.FromTriplets(n, n, i, j, v), diagonal, dense
}

// A sparse factor gives the solution of the dense one, for any fronts and threads.
func TestCholesky(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 120).Draw(t, "points")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		lists := plane(rnd, n, rapid.Float64Range(.02, .5).Draw(t, "radius"))
		tree := Dissect(lists, rapid.IntRange(1, 40).Draw(t, "leaf"))
		w, diagonal, dense := system(rnd, lists)
		c, err := tree.Cholesky(t.Context(), w, diagonal, 1)
		if err != nil {
			t.Fatal(err)
		}
		held := int64(0)
		for _, f := range c.columns {
			held += int64(len(f.Data))
		}
		if want, _, _ := tree.CholeskyNumbers(); held != want {
			t.Errorf("the factor holds %d numbers, forecast %d", held, want)
		}
		b := vec.New[float64](n, 3)
		for k := range b.Data {
			b.Data[k] = rnd.NormFloat64()
		}
		got := b.Clone()
		c.Solve(got, 1)
		if err := spd.Factor(dense, 1); err != nil {
			t.Fatal(err)
		}
		want := b.Clone()
		spd.Solve(dense, want, 1)
		for k, v := range want.Data {
			if math.Abs(got.Data[k]-v) > 1e-12*(1+math.Abs(v)) {
				t.Fatalf("entry %d is %g, want %g", k, got.Data[k], v)
			}
		}
		again, err := tree.Cholesky(t.Context(), w, diagonal, 3)
		if err != nil {
			t.Fatal(err)
		}
		more := b.Clone()
		again.Solve(more, 3)
		if !slices.Equal(more.Data, got.Data) {
			t.Fatal("three threads give another solution")
		}
	})
}

// A subtree includes all fronts below it, and every front is in exactly one subtree or above them
// all.
func TestCut(t *testing.T) {
	tree := Dissect(plane(rand.New(rand.NewPCG(1, 2)), 1500, .05), 50)
	subtrees, rest := tree.cut(shares)
	part := make([]int, len(tree.Fronts))
	for _, f := range rest {
		part[f] = -1
	}
	for s, list := range subtrees {
		for _, f := range list {
			part[f] = s + 1
		}
	}
	for f, front := range tree.Fronts {
		if part[f] == 0 {
			t.Errorf("front %d is nowhere", f)
		}
		if front.Parent >= 0 && part[front.Parent] > 0 && part[f] != part[front.Parent] {
			t.Errorf("front %d is not with that above it", f)
		}
	}
	if len(subtrees) < shares {
		t.Errorf("%d subtrees", len(subtrees))
	}
}

func TestCholeskyIndefinite(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 3))
	lists := plane(rnd, 90, .2)
	w, diagonal, _ := system(rnd, lists)
	diagonal[33] = -1
	var bad *IndefiniteError
	if _, err := Dissect(lists, 20).Cholesky(t.Context(), w, diagonal, 1); !errors.As(err, &bad) || bad.Point != 33 || !(bad.Pivot < 0) {
		t.Errorf("%v, want point 33", err)
	}
}

// The predicted sizes equal the actual sizes when fronts are processed one after the other.
func TestCholeskyNumbers(t *testing.T) {
	// Leaves 0 and 1 have borders of 2 and 1 points; front 2, the root, has 3 points.
	tree := &Tree{Fronts: []Front{
		{Own: []int32{0}, Border: []int32{2, 3}, Parent: 2}, {Own: []int32{1}, Border: []int32{4}, Parent: 2}, {Own: []int32{2, 3, 4}, Parent: -1},
	}}
	held, most, operations := tree.CholeskyNumbers()
	if held != 3+2+9 || most != 3+2+9+4+1 || operations != 6+2+9 {
		t.Errorf("%d numbers, %d at most, %d operations", held, most, operations)
	}
}
