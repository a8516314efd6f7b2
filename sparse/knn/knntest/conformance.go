package knntest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
)

// Options are the promises of an index.
type Options struct {
	// Distance is that of the index.
	Distance distance.Distance
	// Exact indexes must agree with Brute bit for bit.
	Exact bool
	// Recall is the minimum mean share of true neighbours that an approximate index must find on
	// every point set without ties.
	Recall float64
}

// Conformance runs the suite on indexes made by build.
func Conformance(t *testing.T, o Options, build func(x vec.Matrix[float32]) knn.Index) {
	t.Run("neighbours", func(t *testing.T) { neighbours(t, o, build) })
	t.Run("purity", func(t *testing.T) { purity(t, o, build) })
	t.Run("errors", func(t *testing.T) { refusals(t, o, build) })
	t.Run("cancel", func(t *testing.T) { cancel(t, o, build) })
	t.Run("concurrent", func(t *testing.T) { concurrent(t, o, build) })
}

// points returns points of a kind for which the distance is defined.
func (o Options) points(kind string, n, dim int, seed uint64) vec.Matrix[float32] {
	x := Points[float32](kind, n, dim, seed)
	distance.Restrict(o.Distance, x)
	return x
}

// neighbours compares results with the oracle on all kinds of point sets.
func neighbours(t *testing.T, o Options, build func(x vec.Matrix[float32]) knn.Index) {
	for _, kind := range Kinds {
		for _, size := range []struct{ n, dim, k int }{{1, 1, 1}, {40, 3, 40}, {300, 7, 5}, {513, 70, 12}} {
			t.Run(fmt.Sprintf("%s %dx%d k=%d", kind, size.n, size.dim, size.k), func(t *testing.T) {
				x := o.points(kind, size.n, size.dim, 1)
				q := o.points(kind, 75, size.dim, 2)
				for i := 0; i < q.Rows; i += 3 {
					copy(q.Row(i), x.Row(i%x.Rows))
				}
				index := build(x)
				if index.Len() != x.Rows || index.Dim() != x.Cols {
					t.Fatalf("an index of %d rows of dimension %d says %d and %d", x.Rows, x.Cols, index.Len(), index.Dim())
				}
				got := search(t, index, q, size.k, knn.Settings{})
				want := BruteBy(o.Distance, x, q, size.k, nil)
				wellFormed(t, o.Distance, x, q, got)
				if o.Exact && !Equal(got, want) {
					r := difference(got, want)
					gi, gd := got.Row(r)
					wi, wd := want.Row(r)
					t.Fatalf("query %d:\n got %v %v\nwant %v %v", r, gi, gd, wi, wd)
				}
				if !o.Exact && kind == "gauss" {
					if recall := recallOf(got, want); recall < o.Recall {
						t.Fatalf("recall %.3f, want at least %.3f", recall, o.Recall)
					}
				}
			})
		}
	}
}

// wellFormed checks the conditions for any result, exact or not: true distances, order, and no row
// twice.
func wellFormed(t *testing.T, d distance.Distance, x, q vec.Matrix[float32], nb *knn.Neighbors) {
	t.Helper()
	for r := range nb.N {
		index, dist2 := nb.Row(r)
		seen := map[int32]bool{}
		for p, j := range index {
			if j < 0 || int(j) >= x.Rows || seen[j] {
				t.Fatalf("query %d has neighbours %v", r, index)
			}
			seen[j] = true
			if want := distance.Between(d, q.Row(r), x.Row(int(j))); dist2[p] != want {
				t.Fatalf("query %d: row %d at %v, really %v", r, j, dist2[p], want)
			}
			if p > 0 && (dist2[p] < dist2[p-1] || (dist2[p] == dist2[p-1] && j < index[p-1])) {
				t.Fatalf("query %d is not sorted: %v %v", r, index, dist2)
			}
		}
	}
}

// purity checks that a list does not depend on batch, order or threads.
func purity(t *testing.T, o Options, build func(x vec.Matrix[float32]) knn.Index) {
	x := o.points("clusters", 400, 9, 3)
	q := o.points("clusters", 150, 9, 4)
	index := build(x)
	whole := search(t, index, q, 6, knn.Settings{Threads: 1})
	for _, threads := range []int{0, 2, 5} {
		if !Equal(whole, search(t, index, q, 6, knn.Settings{Threads: threads})) {
			t.Fatalf("another result with %d threads", threads)
		}
	}
	if !Equal(whole, search(t, build(x), q, 6, knn.Settings{})) {
		t.Fatal("another result from a second index over the same rows")
	}
	for r := range q.Rows {
		one := search(t, index, q.Slice(r, r+1), 6, knn.Settings{})
		gi, gd := one.Row(0)
		wi, wd := whole.Row(r)
		if !slices.Equal(gi, wi) || !slices.Equal(gd, wd) {
			t.Fatalf("query %d alone: %v, in a batch: %v", r, gi, wi)
		}
	}
	if nb := search(t, index, q.Slice(0, 0), 6, knn.Settings{}); nb.N != 0 {
		t.Fatalf("%d lists for no queries", nb.N)
	}
}

// refusals checks the errors.
func refusals(t *testing.T, o Options, build func(x vec.Matrix[float32]) knn.Index) {
	x := o.points("gauss", 50, 4, 5)
	index := build(x)
	for name, c := range map[string]struct {
		q vec.Matrix[float32]
		k int
	}{
		"k = 0":       {vec.New[float32](2, 4), 0},
		"k > n":       {vec.New[float32](2, 4), 51},
		"dimension":   {vec.New[float32](2, 5), 3},
		"no columns":  {vec.New[float32](2, 0), 3},
		"nothing yet": {vec.New[float32](0, 4), 0},
	} {
		if _, err := index.Search(context.Background(), c.q, c.k, knn.Settings{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		q := vec.New[float32](6, 4)
		q.Data[4*4+2] = float32(bad)
		var value *knn.ValueError
		if _, err := index.Search(context.Background(), q, 3, knn.Settings{}); !errors.As(err, &value) || value.Row != 4 || value.Col != 2 {
			t.Errorf("%v in row 4, column 2: error %v", bad, err)
		}
		y := x.Clone()
		y.Data[7*4+1] = float32(bad)
		if _, err := build(y).Search(context.Background(), x, 3, knn.Settings{}); !errors.As(err, &value) || value.Row != 7 || value.Col != 1 {
			t.Errorf("index with %v in row 7, column 1: error %v", bad, err)
		}
	}
}

func cancel(t *testing.T, o Options, build func(x vec.Matrix[float32]) knn.Index) {
	x := o.points("gauss", 300, 4, 6)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if nb, err := build(x).Search(ctx, x, 3, knn.Settings{}); !errors.Is(err, context.Canceled) || nb != nil {
		t.Fatalf("cancelled search returned %v, %v", nb, err)
	}
}

func concurrent(t *testing.T, o Options, build func(x vec.Matrix[float32]) knn.Index) {
	x := o.points("gauss", 300, 4, 8)
	index := build(x)
	want := search(t, index, x, 5, knn.Settings{Threads: 1})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, err := index.Search(context.Background(), x, 5, knn.Settings{Threads: 2})
			if err != nil || !Equal(got, want) {
				t.Errorf("another result when searched concurrently (error %v)", err)
			}
		})
	}
	wg.Wait()
}

func search(t *testing.T, index knn.Index, q vec.Matrix[float32], k int, s knn.Settings) *knn.Neighbors {
	t.Helper()
	nb, err := index.Search(context.Background(), q, k, s)
	if err != nil {
		t.Fatal(err)
	}
	if nb.N != q.Rows || nb.K != k {
		t.Fatalf("%d lists of %d, want %d of %d", nb.N, nb.K, q.Rows, k)
	}
	return nb
}

func difference(a, b *knn.Neighbors) int {
	for r := range a.N {
		ai, ad := a.Row(r)
		bi, bd := b.Row(r)
		if !slices.Equal(ai, bi) || !slices.Equal(ad, bd) {
			return r
		}
	}
	return -1
}

func recallOf(got, want *knn.Neighbors) float64 {
	hits := 0
	for r := range want.N {
		wi, _ := want.Row(r)
		gi, _ := got.Row(r)
		for _, j := range gi {
			if slices.Contains(wi, j) {
				hits++
			}
		}
	}
	return float64(hits) / float64(want.N*want.K)
}
