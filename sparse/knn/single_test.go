package knn_test

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

// A sketch of any number of rows passes the conformance suite.
func TestSketchConformance(t *testing.T) {
	knntest.Conformance(t, knntest.Options{Exact: true}, func(x vec.Matrix[float32]) knn.Index {
		return knn.NewExactSketched(x)
	})
}

// Single queries equal the double loop for any data; queries of another kind are far from the rows
// or outside their box.
func TestSingleIsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 2000).Draw(t, "n")
		dim := rapid.SampledFrom([]int{1, 2, 3, 7, 14, 15, 16, 17, 31, 50, 784}).Draw(t, "dim")
		k := min(n, rapid.SampledFrom([]int{1, 2, 5, n}).Draw(t, "k"))
		falls := rapid.Bool().Draw(t, "falling variances")
		kind, other := rapid.SampledFrom(knntest.Kinds).Draw(t, "kind"), rapid.SampledFrom(knntest.Kinds).Draw(t, "queries")
		x := knntest.Points[float32](kind, n, dim, rapid.Uint64().Draw(t, "seed"))
		q := vec.New[float32](6, dim)
		for i := range q.Rows {
			copy(q.Row(i), x.Row(i*(n-1)/q.Rows))
		}
		copy(q.Slice(2, 4).Data, knntest.Points[float32](kind, 2, dim, 3).Data)
		copy(q.Slice(4, 6).Data, knntest.Points[float32](other, 2, dim, 4).Data)
		if falls {
			fall(x)
			fall(q)
		}
		if rapid.Bool().Draw(t, "a constant column") {
			for i := range n {
				x.Row(i)[dim/2] = 3
			}
		}
		want := knntest.Brute(x, q, k, nil)
		index := knn.NewExactSketched(x)
		for i := range q.Rows {
			got, err := index.Search(context.Background(), q.Slice(i, i+1), k, knn.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			wi, wd := want.Row(i)
			if !slices.Equal(got.Index, wi) || !slices.Equal(got.Dist2, wd) {
				t.Fatalf("query %d:\n got %v %v\nwant %v %v", i, got.Index, got.Dist2, wi, wd)
			}
		}
	})
}

// fall makes variances decrease from column to column, as for principal components.
func fall(x vec.Matrix[float32]) {
	for i := range x.Rows {
		for k := range x.Row(i) {
			x.Row(i)[k] /= float32(1 + k)
		}
	}
}

// BenchmarkSingle measures the 20 nearest of 60000 x 50 rows for one query at a time: rows similar
// to principal components, which have a sketch, and uniform ones, which have none.
func BenchmarkSingle(b *testing.B) {
	const n, dim, k = 60000, 50, 20
	for name, x := range map[string]vec.Matrix[float32]{"components": components(n+1000, dim), "gauss": knntest.Points[float32]("gauss", n+1000, dim, 1)} {
		index := knn.NewExact(x.Slice(0, n))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for at := 0; b.Loop(); at = (at + 1) % 1000 {
				if _, err := index.Search(context.Background(), x.Slice(n+at, n+at+1), k, knn.Settings{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkNewExact measures building the index of 60000 x 50 rows.
func BenchmarkNewExact(b *testing.B) {
	x := components(60000, 50)
	for b.Loop() {
		knn.NewExact(x)
	}
}

// Without coarse vectors the lists are the same, and their memory is saved.
func TestScan(t *testing.T) {
	const n = 24_032 // more than sketchBytes
	x := components(n+20, 50)
	with, without := knn.NewExact(x.Slice(0, n)), knn.NewScan(x.Slice(0, n))
	if spared := with.Bytes() - without.Bytes(); spared != 88*n+20*32 {
		t.Errorf("%d bytes spared, want 88 a row, the short ones in full blocks of 64", spared)
	}
	for i := n; i < n+20; i++ {
		a, err := with.Search(t.Context(), x.Slice(i, i+1), 9, knn.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := without.Search(t.Context(), x.Slice(i, i+1), 9, knn.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if !knntest.Equal(a, b) {
			t.Errorf("query %d: other lists", i)
		}
	}
}
