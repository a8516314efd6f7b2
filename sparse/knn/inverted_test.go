package knn_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/sparse"
	. "unfold/sparse/knn"
)

// drawSparse draws a matrix whose rows share columns, some of them equal or empty, and the same
// rows dense.
func drawSparse(t *rapid.T) (*sparse.Rows, vec.Matrix[float64]) {
	n, m := rapid.IntRange(2, 60).Draw(t, "n"), rapid.IntRange(1, 30).Draw(t, "m")
	value := rapid.SampledFrom([]float64{1, 2, -1, 0.1, float64(float32(1) / 3), 1e-6, 1e6, 1 + 0x1p-23})
	full := vec.New[float64](n, m)
	var rows, columns []int32
	var values []float64
	for i := range n {
		if i > 0 && rapid.IntRange(0, 5).Draw(t, "copy") == 0 {
			copy(full.Row(i), full.Row(i-1))
		} else {
			for range rapid.IntRange(0, 6).Draw(t, "entries") {
				full.Row(i)[rapid.IntRange(0, m-1).Draw(t, "column")] = value.Draw(t, "value")
			}
		}
		for j, v := range full.Row(i) {
			if v != 0 {
				rows, columns, values = append(rows, int32(i)), append(columns, int32(j)), append(values, v)
			}
		}
	}
	return sparse.RowsFromTriplets(n, m, rows, columns, values), full
}

// bruteSparse is the plain double loop over dense rows.
func bruteSparse(x vec.Matrix[float64], k int) *Neighbors {
	nb := NewNeighbors(x.Rows, k)
	for i := range x.Rows {
		type near struct {
			d2 float64
			j  int32
		}
		var all []near
		for j := range x.Rows {
			if j == i {
				continue
			}
			d2 := 0.0
			for c, v := range x.Row(i) {
				d := v - x.Row(j)[c]
				d2 += float64(d * d)
			}
			all = append(all, near{d2, int32(j)})
		}
		slices.SortStableFunc(all, func(a, b near) int {
			if a.d2 != b.d2 {
				return int(math.Copysign(1, a.d2-b.d2))
			}
			return int(a.j - b.j)
		})
		index, dist2 := nb.Row(i)
		for q := range k {
			index[q], dist2[q] = all[q].j, all[q].d2
		}
	}
	return nb
}

// Lists of sparse rows equal those of the double loop over the dense rows, bit for bit, for any
// number of threads and any block size.
func TestSparseIsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, full := drawSparse(t)
		k := rapid.IntRange(1, a.N()-1).Draw(t, "k")
		want := bruteSparse(full, k)
		for _, size := range []int{7, 64} {
			for _, threads := range []int{1, 3} {
				got, err := InvertedBy(context.Background(), a, k, size, Settings{Threads: threads})
				if err != nil {
					t.Fatal(err)
				}
				for p := range want.Index {
					if got.Index[p] != want.Index[p] || got.Dist2[p] != want.Dist2[p] {
						t.Fatalf("%d rows at a time, %d threads: neighbour %d of row %d is %d at %v, want %d at %v",
							size, threads, p%k, p/k, got.Index[p], got.Dist2[p], want.Index[p], want.Dist2[p])
					}
				}
			}
		}
	})
}

// Only rows as near as the k-th are compared exactly: their bounds are those of the k-th distance.
func TestSparseBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, full := drawSparse(t)
		k := rapid.IntRange(1, a.N()-1).Draw(t, "k")
		bounds, err := InvertedBounds(a, k)
		if err != nil {
			t.Fatal(err)
		}
		want := bruteSparse(full, k)
		for i, bound := range bounds {
			_, dist2 := want.Row(i)
			size := 0.0 // the error of products is a share of these
			for _, v := range full.Data {
				size = max(size, v*v)
			}
			if half := dist2[k-1] / 2; bound < half || bound > half+1e-11*size*float64(full.Cols) {
				t.Fatalf("row %d: bound %v, half the squared distance is %v", i, bound, half)
			}
		}
	})
}

// Invalid values are rejected with their position, and a search can be cancelled.
func TestSparseRefuses(t *testing.T) {
	a := sparse.RowsFromTriplets(3, 4, []int32{0, 1, 2}, []int32{1, 3, 3}, []float64{1, math.Inf(1), 2})
	var bad *ValueError
	if _, err := Sparse(t.Context(), a, 1, Settings{}); !errors.As(err, &bad) || bad.Row != 1 || bad.Col != 3 {
		t.Errorf("an infinite value: %v", err)
	}
	a.Values()[1] = 5
	if _, err := Sparse(t.Context(), a, 3, Settings{}); err == nil {
		t.Error("three neighbours among two other rows")
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Sparse(ctx, a, 1, Settings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}
