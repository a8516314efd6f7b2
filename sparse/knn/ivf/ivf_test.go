package ivf

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd/sq8"
	"unfold/internal/vec"
	"unfold/sparse/gallery"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

// blobs returns n rows in clusters to search, and further rows from the same clusters as queries.
func blobs(n, more, dim int) (x, q vec.Matrix[float32]) {
	all, _ := gallery.Blobs(n+more, dim, 30, 3, 2)
	single := vec.Convert[float32](all)
	return single.Slice(0, n), single.Slice(n, n+more)
}

// index returns an index, and fails the test if there is none.
func index(t testing.TB, x vec.Matrix[float32], set Settings) *Index {
	t.Helper()
	ix, err := New(context.Background(), x, set)
	if err != nil || ix == nil {
		t.Fatalf("no index over %d rows: error %v", x.Rows, err)
	}
	return ix
}

// lists searches.
func lists(t testing.TB, ix knn.Index, q vec.Matrix[float32], k, threads int) *knn.Neighbors {
	t.Helper()
	nb, err := ix.Search(context.Background(), q, k, knn.Settings{Threads: threads})
	if err != nil {
		t.Fatal(err)
	}
	return nb
}

// Cells pass the conformance suite of all indexes, for any number of rows, wherever they are used.
func TestConformance(t *testing.T) {
	some := 0
	knntest.Conformance(t, knntest.Options{Recall: 0.9}, func(x vec.Matrix[float32]) knn.Index {
		exact := knn.NewExact(x)
		if x.Rows < 60 || !vec.Finite(x.Data) {
			return exact
		}
		ix, err := build(context.Background(), x, Settings{K: 6, Recall: 0.99, read: 2})
		if err != nil {
			t.Fatal(err)
		}
		if ix == nil {
			return exact
		}
		some++
		return ix
	})
	if t.Logf("%d sets of points had cells", some); some < 6 {
		t.Errorf("only %d sets of points had cells", some)
	}
}

// The requested recall is reached, for K and for fewer neighbours.
func TestRecall(t *testing.T) {
	x, q := blobs(20_000, 500, 20)
	for _, recall := range []float64{0.9, 0.99, 0.999} {
		ix := index(t, x, Settings{K: 30, Recall: recall})
		for _, k := range []int{30, 10, 1} {
			got, want := lists(t, ix, q, k, 0), lists(t, knn.NewExact(x), q, k, 0)
			if s := knntest.Share(got, want); s < recall-0.01 {
				t.Errorf("recall %v, %d neighbours: found %.4f", recall, k, s)
			}
		}
	}
}

// A list does not depend on the batch, its order or threads, and the index does not depend on
// threads.
func TestListsAreOfTheirQueries(t *testing.T) {
	x, q := blobs(5000, 300, 11)
	ix := index(t, x, Settings{K: 12, Recall: 0.95})
	want := lists(t, ix, q, 12, 1)
	if !knntest.Equal(want, lists(t, index(t, x, Settings{K: 12, Recall: 0.95, Threads: 3}), q, 12, 3)) {
		t.Error("other lists with 3 threads")
	}
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		pick := make([]int32, rapid.IntRange(1, 200).Draw(t, "queries"))
		for i := range pick {
			pick[i] = r.Int32N(int32(q.Rows))
		}
		nb, err := ix.Search(context.Background(), vec.Take(q, pick), 12, knn.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range pick {
			gi, gd := nb.Row(i)
			wi, wd := want.Row(int(o))
			if !slices.Equal(gi, wi) || !slices.Equal(gd, wd) {
				t.Fatalf("query %d has other neighbours as number %d of %d", o, i, len(pick))
			}
		}
	})
}

// Queries far outside the rows have the same recall as others. So do longer lists, and lists of all
// rows are complete.
func TestWithoutCodes(t *testing.T) {
	x, q := blobs(20_000, 300, 20)
	ix, exact := index(t, x, Settings{K: 30, Recall: 0.99}), knn.NewExact(x)
	for _, off := range []float32{60, 300, 3e5} { // 20, 100 and 100,000 standard deviations
		far := q.Clone()
		for i := range far.Rows {
			far.Row(i)[i%20] += off
		}
		got := knntest.Share(lists(t, ix, far, 30, 0), lists(t, exact, far, 30, 0))
		if t.Logf("%v off: found %.4f", off, got); got < 0.95 {
			t.Errorf("%v off: found %.4f", off, got)
		}
	}
	for _, k := range []int{31, 100, 1000} {
		got := knntest.Share(lists(t, ix, q, k, 0), lists(t, exact, q, k, 0))
		if t.Logf("%d neighbours: found %.4f", k, got); got < 0.97 {
			t.Errorf("%d neighbours: found %.4f", k, got)
		}
	}
	few := q.Slice(0, 5)
	if !knntest.Equal(lists(t, ix, few, x.Rows, 0), lists(t, exact, few, x.Rows, 0)) {
		t.Error("lists of all rows are not all rows")
	}
}

// There are no cells where a search would have to read nearly all rows, or where codes distinguish
// nothing.
func TestNoCells(t *testing.T) {
	gauss := knntest.Points[float32]("gauss", 3000, 100, 1)
	for name, x := range map[string]vec.Matrix[float32]{
		"nothing is near": gauss,
		"few rows":        gauss.Slice(0, leastRows-1),
		"equal rows":      vec.New[float32](3000, 4),
		"no columns":      vec.New[float32](3000, 0),
		"rows far off":    knntest.Points[float32]("outlier", 3000, 5, 1),
	} {
		ix, err := New(t.Context(), x, Settings{K: 10, Recall: 0.99})
		if ix != nil || err != nil {
			t.Errorf("%s: an index %v, error %v", name, ix != nil, err)
		}
	}
	for _, set := range []Settings{{Recall: 0.9}, {K: 3}, {K: 3, Recall: 1}} {
		if _, err := New(t.Context(), gauss, set); err == nil {
			t.Errorf("%+v: no error", set)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	x, _ := blobs(3000, 1, 5)
	if _, err := New(ctx, x, Settings{K: 3, Recall: 0.9}); err == nil {
		t.Error("no error when stopped")
	}
}

// A search allocates only its result and, for many queries, their order.
func TestAllocations(t *testing.T) {
	x, q := blobs(4000, 64, 9)
	ix := index(t, x, Settings{K: 10, Recall: 0.95})
	lists(t, ix, q, 10, 1)
	w := ix.borrow()
	nb := knn.NewNeighbors(q.Rows, 10)
	if n := testing.AllocsPerRun(5, func() {
		for i := range q.Rows {
			ix.one(w, q.Row(i), nb, i)
		}
	}); n > 0 {
		t.Errorf("%v allocations in %d searches", n, q.Rows)
	}
	if b := ix.Bytes(); b < int64(x.Rows*(12+4+4)) || b > int64(x.Rows*(12+4+4))*2 {
		t.Errorf("%d bytes for %d rows", b, x.Rows)
	}
}

// The selection of scores agrees with sorting.
func TestLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		w := &work{query: sq8.Query{Base: r.Int32N(2000) - 1000}}
		s := make([]int32, 16*rapid.IntRange(1, 40).Draw(t, "panels"))
		spread := rapid.SampledFrom([]int32{1, 40, 1 << 20}).Draw(t, "spread")
		for i := range s {
			if s[i] = r.Int32N(spread) - w.query.Base; i%16 > 12 {
				s[i] = 1 << 30
			}
		}
		w.grow(len(s))
		n := rapid.IntRange(1, len(s)).Draw(t, "n")
		got := w.at[:w.least(s, n, r.Int32N(2*spread)+1)]
		sorted := slices.Sorted(slices.Values(s))
		n = min(n, len(s)/16*13)
		if len(got) < n || !slices.IsSorted(got) {
			t.Fatalf("%d of the least %d", len(got), n)
		}
		last := int32(-1 << 31)
		for _, at := range got {
			last = max(last, s[at])
		}
		below, _ := slices.BinarySearch(sorted, last)
		next, _ := slices.BinarySearch(sorted, last+1)
		if len(got) != next {
			t.Fatalf("%d positions with the least scores, %d are at most the largest", len(got), next)
		}
		if most := n + n/8 + 2; len(got) > most && below >= n {
			t.Fatalf("%d positions, want %d to %d", len(got), n, most)
		}
	})
}

func BenchmarkNew(b *testing.B) {
	x, _ := blobs(20_000, 1, 50)
	for b.Loop() {
		index(b, x, Settings{K: 41, Recall: 0.995})
	}
}

func BenchmarkSearch(b *testing.B) {
	x, q := blobs(20_000, 2000, 50)
	ix := index(b, x, Settings{K: 41, Recall: 0.995})
	for _, many := range []int{1, q.Rows} {
		b.Run(fmt.Sprintf("queries=%d", many), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				lists(b, ix, q.Slice(i%(q.Rows-many+1), i%(q.Rows-many+1)+many), 41, 1)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*many), "ns/query")
		})
	}
}
