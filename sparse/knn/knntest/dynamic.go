package knntest

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
)

// Dynamic runs the suite for indexes with insertion and deletion, on empty indexes made by build.
// They should also pass Conformance.
func Dynamic(t *testing.T, o Options, build func(dim int) knn.Dynamic) {
	t.Run("operations", func(t *testing.T) { operations(t, o, build) })
	t.Run("all or none", func(t *testing.T) { allOrNone(t, build) })
	t.Run("memory", func(t *testing.T) { memory(t, build) })
}

// rows are the rows that an index should have, by number.
type rows map[int32][]float32

// matrix returns the rows in the order of their numbers, and the numbers.
func (r rows) matrix(dim int) (vec.Matrix[float32], []int32) {
	numbers := slices.Sorted(maps.Keys(r))
	x := vec.New[float32](len(numbers), dim)
	for i, n := range numbers {
		copy(x.Row(i), r[n])
	}
	return x, numbers
}

// operations inserts and deletes at random, and compares every state with the expected rows.
func operations(t *testing.T, o Options, build func(dim int) knn.Dynamic) {
	const dim, k = 6, 5
	ctx := context.Background()
	for _, kind := range Kinds {
		t.Run(kind, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, 0xd1))
			index, held := build(dim), rows{}
			for step := range uint64(12) {
				x := Points[float32](kind, rng.IntN(60), dim, step)
				added, err := index.Insert(ctx, x, knn.Settings{})
				if err != nil || len(added) != x.Rows {
					t.Fatalf("%d numbers for %d rows, error %v", len(added), x.Rows, err)
				}
				for i, r := range added {
					if _, had := held[r]; had || !index.Has(r) {
						t.Fatalf("number %d is given twice, or is not there", r)
					}
					held[r] = slices.Clone(x.Row(i))
				}
				_, numbers := held.matrix(dim)
				gone := slices.DeleteFunc(numbers, func(int32) bool { return rng.IntN(3) > 0 })
				if err := index.Delete(gone, knn.Settings{}); err != nil {
					t.Fatal(err)
				}
				for _, r := range gone {
					delete(held, r)
					if index.Has(r) {
						t.Fatalf("row %d is there after it was deleted", r)
					}
				}
				if index.Len() != len(held) {
					t.Fatalf("%d rows, want %d", index.Len(), len(held))
				}
				if len(held) >= k {
					compareRows(t, o, index, held, dim, k)
				}
			}
		})
	}
}

// compareRows searches for all current rows.
func compareRows(t *testing.T, o Options, index knn.Index, held rows, dim, k int) {
	t.Helper()
	x, numbers := held.matrix(dim)
	got := search(t, index, x, k, knn.Settings{})
	for i, r := range got.Index {
		at, there := slices.BinarySearch(numbers, r)
		if !there {
			t.Fatalf("query %d has the neighbour %d, which is not there", i/k, r)
		}
		got.Index[i] = int32(at)
	}
	wellFormed(t, distance.Euclidean, x, x, got)
	want := Brute(x, x, k, nil)
	if o.Exact && !Equal(got, want) {
		t.Fatalf("query %d has other neighbours than by comparing all", difference(got, want))
	}
}

// allOrNone checks that a rejected call changes nothing.
func allOrNone(t *testing.T, build func(dim int) knn.Dynamic) {
	ctx := context.Background()
	index := build(3)
	x := Points[float32]("gauss", 40, 3, 1)
	added, err := index.Insert(ctx, x, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	bad := x.Clone()
	bad.Data[20] -= bad.Data[20]
	bad.Data[20] /= bad.Data[20] // NaN
	if _, err := index.Insert(ctx, bad, knn.Settings{}); err == nil {
		t.Error("a value that is no number was taken")
	}
	if _, err := index.Insert(ctx, vec.New[float32](2, 4), knn.Settings{}); err == nil {
		t.Error("rows of another dimension were taken")
	}
	for name, rows := range map[string][]int32{"unknown": {added[0], 99}, "twice": {added[1], added[1]}, "negative": {added[0], -1}} {
		if err := index.Delete(rows, knn.Settings{}); err == nil {
			t.Errorf("%s: deleted", name)
		}
	}
	if index.Len() != x.Rows {
		t.Errorf("%d rows after calls that failed, want %d", index.Len(), x.Rows)
	}
	if got, want := search(t, index, x, 4, knn.Settings{}), Brute(x, x, 4, nil); !slices.Equal(got.Dist2[:1], want.Dist2[:1]) {
		t.Errorf("the first row is at %v of itself", got.Dist2[0])
	}
}

// memory checks that repeated insertion and deletion does not increase memory.
func memory(t *testing.T, build func(dim int) knn.Dynamic) {
	ctx := context.Background()
	const n, dim = 400, 8
	index := build(dim)
	if _, err := index.Insert(ctx, Points[float32]("gauss", n, dim, 1), knn.Settings{}); err != nil {
		t.Fatal(err)
	}
	first := index.Bytes()
	if first < 4*n*dim {
		t.Errorf("%d bytes for %d values", first, n*dim)
	}
	numbers := make([]int32, 0, n)
	for r := int32(0); len(numbers) < n; r++ {
		if index.Has(r) {
			numbers = append(numbers, r)
		}
	}
	for round := range uint64(20) {
		if err := index.Delete(numbers[:n/2], knn.Settings{}); err != nil {
			t.Fatal(err)
		}
		added, err := index.Insert(ctx, Points[float32]("gauss", n/2, dim, 2+round), knn.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers[n/2:], added...)
	}
	if now := index.Bytes(); now > 2*first {
		t.Errorf("%d bytes after ten times as many rows have come and gone, %d before", now, first)
	}
}
