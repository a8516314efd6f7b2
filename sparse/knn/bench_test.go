package knn_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse/gallery"
	"unfold/sparse/knn"
)

// components returns n rows similar to the leading principal components of pictures: a hundred
// clusters, and variances that decrease from column to column.
func components(n, dim int) vec.Matrix[float32] {
	rng := rand.New(rand.NewPCG(1, 2))
	means := vec.New[float64](100, dim)
	for k := range means.Data {
		means.Data[k] = rng.NormFloat64()
	}
	x := vec.New[float32](n, dim)
	for i := range n {
		mean := means.Row(rng.IntN(means.Rows))
		for k := range x.Row(i) {
			x.Row(i)[k] = float32((mean[k] + rng.NormFloat64()) / float64(1+k))
		}
	}
	return x
}

// The rows have the size of MNIST after PCA. GFLOP/s counts 2 x 50 operations for every pair once,
// including those that a prefix of the columns avoids. Compare it with BenchmarkPeak of tile, which
// measures about one core.
func BenchmarkGraph70000x50(b *testing.B) {
	const n, dim = 70000, 50
	x := components(n, dim)
	for b.Loop() {
		if _, err := knn.Graph(context.Background(), x, 10, knn.Settings{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)*n*dim*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

// BenchmarkSearch measures queries against 60000 x 50: one event, a small batch, a large one. MB/s
// counts the rows as float32 once a call. GFLOP/s counts 2 x 50 operations for every pair,
// including those that a prefix avoids.
func BenchmarkSearch(b *testing.B) {
	const n, dim = 60000, 50
	x := components(n+1000, dim)
	index := knn.NewExact(x.Slice(0, n))
	for _, count := range []int{1, 8, 256} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(4 * n * dim)
			for at := 0; b.Loop(); at = (at + 1) % (1000 - count) {
				if _, err := index.Search(context.Background(), x.Slice(n+at, n+at+count), 10, knn.Settings{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(2*n*dim*float64(count)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

// BenchmarkPlacing measures searches on small maps: the 41 nearest rows of queries that are close
// to rows, a thousand at a time or one. It uses one thread.
func BenchmarkPlacing(b *testing.B) {
	for _, c := range []struct{ n, dim, count int }{
		{2000, 10, 1000}, {2000, 50, 1000}, {5000, 50, 1000}, {20000, 10, 1000}, {2000, 50, 1}, {5000, 50, 1},
	} {
		b.Run(fmt.Sprintf("%dx%d/%d", c.n, c.dim, c.count), func(b *testing.B) {
			rows, _ := gallery.Blobs(c.n, c.dim, 9, 2, 1)
			x := vec.Convert[float32](rows)
			rng := rand.New(rand.NewPCG(1, 2))
			q := vec.New[float32](1000, c.dim)
			for i := range q.Rows {
				row := x.Row(rng.IntN(c.n))
				for k := range q.Row(i) {
					q.Row(i)[k] = row[k] + float32(rng.NormFloat64()*.3)
				}
			}
			index := knn.NewExact(x)
			for at := 0; b.Loop(); at = (at + c.count) % q.Rows {
				if _, err := index.Search(context.Background(), q.Slice(at, at+c.count), 41, knn.Settings{Threads: 1}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*c.count)/1000, "us/event")
		})
	}
}
