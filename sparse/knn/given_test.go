package knn_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	points "unfold/sparse/graph"
	"unfold/sparse/knn"
)

// Given lists become the lists of a search, for any order, with or without a row's own number, and
// with equal rows.
func TestGivenListsAreThoseOfASearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(6, 60).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "k")
		x := vec.New[float32](n, 3)
		for i := range x.Data {
			x.Data[i] = float32(rapid.IntRange(-4, 4).Draw(t, "value"))
		}
		unique, of, _ := points.Collapse(x)
		if len(unique) <= k {
			t.Skip("too few different rows")
		}
		distinct := vec.Take(x, unique)
		want, err := knn.Graph(t.Context(), distinct, k, knn.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		g := &knn.Given{N: n, K: k + 1, Index: make([]int32, 0, n*(k+1))}
		for i, p := range of {
			row := []int32{int32(i)}
			near, _ := want.Row(int(p))
			for _, q := range near {
				row = append(row, unique[q])
			}
			g.Index = append(g.Index, rapid.Permutation(row).Draw(t, "order")...)
		}
		for _, threads := range []int{1, 3} {
			got, err := knn.FromGiven(t.Context(), distinct, of, g, k, k, knn.Settings{Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			if got.K != k || !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Dist2, want.Dist2) {
				t.Fatalf("%d threads: %v, the search finds %v", threads, got, want)
			}
		}
	})
}

// Lists are as long as the shortest allows; the error for one that is too short names its row.
func TestGivenListsThatAreShort(t *testing.T) {
	x := vec.Matrix[float32]{Rows: 4, Cols: 1, Data: []float32{0, 1, 3, 7}}
	of := []int32{0, 1, 2, 2, 3} // rows 2 and 3 are equal
	g := &knn.Given{N: 5, K: 3, Index: []int32{1, 2, 4, 0, 2, 4, 3, 1, 2, 2, 0, 3, 2, 3, 1}}
	nb, err := knn.FromGiven(t.Context(), x, of, g, 1, 3, knn.Settings{})
	if err != nil || nb.K != 2 || !slices.Equal(nb.Index, []int32{1, 2, 0, 2, 1, 0, 2, 1}) {
		t.Errorf("%v, error %v", nb, err)
	}
	var short *knn.GivenError
	if _, err := knn.FromGiven(t.Context(), x, of, g, 3, 3, knn.Settings{}); !errors.As(err, &short) || *short != (knn.GivenError{Row: 2, Have: 2, Want: 3}) {
		t.Errorf("error %v", err)
	}
	g.Index[7] = 5
	if _, err := knn.FromGiven(t.Context(), x, of, g, 1, 1, knn.Settings{}); err == nil {
		t.Error("a row that is not there is taken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g.Index[7] = 0
	if _, err := knn.FromGiven(ctx, x, of, g, 1, 1, knn.Settings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
