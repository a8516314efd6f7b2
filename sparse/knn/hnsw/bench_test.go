package hnsw

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// clouds returns rows of 50 dimensions that resemble data after a principal component analysis:
// clusters whose variances decrease with the dimension.
func clouds(n int) vec.Matrix[float32] {
	const dim, clusters = 50, 20
	rng := rand.New(rand.NewPCG(1, 2))
	centre := vec.New[float32](clusters, dim)
	for i := range centre.Data {
		centre.Data[i] = float32(3 * rng.NormFloat64() / (1 + float64(i%dim)/4))
	}
	x := vec.New[float32](n, dim)
	for i := range n {
		c := centre.Row(rng.IntN(clusters))
		for k := range c {
			x.Row(i)[k] = c[k] + float32(rng.NormFloat64()/(1+float64(k)/8))
		}
	}
	return x
}

func BenchmarkBuild(b *testing.B) {
	x := clouds(20000)
	for b.Loop() {
		if _, err := Build(context.Background(), x, Settings{}, knn.Settings{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*x.Rows), "µs/row")
}

// BenchmarkSearch measures many queries at a time that are not in the index; recall is that of a
// thousand of them.
func BenchmarkSearch(b *testing.B) {
	const n, k, some = 20000, 15, 1000
	x := clouds(2 * n)
	ix, err := Build(context.Background(), x.Slice(0, n), Settings{}, knn.Settings{})
	if err != nil {
		b.Fatal(err)
	}
	q := x.Slice(n, 2*n)
	want, err := knn.NewExact(x.Slice(0, n)).Search(context.Background(), q.Slice(0, some), k, knn.Settings{})
	if err != nil {
		b.Fatal(err)
	}
	for _, ef := range []int{20, 32, 64} {
		b.Run(fmt.Sprintf("ef=%d", ef), func(b *testing.B) {
			hits := 0
			for b.Loop() {
				nb, err := ix.SearchEf(context.Background(), q, k, ef, knn.Settings{})
				if err != nil {
					b.Fatal(err)
				}
				hits = 0
				for i := range some {
					truth, _ := want.Row(i)
					index, _ := nb.Row(i)
					for _, j := range index {
						if slices.Contains(truth, j) {
							hits++
						}
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/query")
			b.ReportMetric(float64(hits)/(some*k), "recall")
		})
	}
}

// BenchmarkSearchSingle measures one query at a time, as for single events.
func BenchmarkSearchSingle(b *testing.B) {
	const n = 20000
	x := clouds(2 * n)
	ix, err := Build(context.Background(), x.Slice(0, n), Settings{}, knn.Settings{})
	if err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for b.Loop() {
		i := n + len(took)%n
		start := time.Now()
		if _, err := ix.Search(context.Background(), x.Slice(i, i+1), 15, knn.Settings{}); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e3, "p99-µs")
}

// BenchmarkReplace measures replacing 1% of the rows, as a stream does at each refresh.
func BenchmarkReplace(b *testing.B) {
	const n, part = 20000, 200
	x := clouds(2 * n)
	ix, err := Build(context.Background(), x.Slice(0, n), Settings{}, knn.Settings{})
	if err != nil {
		b.Fatal(err)
	}
	rows := make([]int32, part)
	for i := range rows {
		rows[i] = int32(i)
	}
	at := n
	for b.Loop() {
		if err := ix.Delete(rows, knn.Settings{}); err != nil {
			b.Fatal(err)
		}
		if rows, err = ix.Insert(context.Background(), x.Slice(at, at+part), knn.Settings{}); err != nil {
			b.Fatal(err)
		}
		if at += part; at == 2*n {
			at = 0
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*part), "µs/row")
}
