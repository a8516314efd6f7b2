package knn_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd"
	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

// bitsOf draws binary rows. Each row has its own share of ones, including none and all.
func bitsOf[T vec.Float](t *rapid.T, n, dim int) vec.Matrix[T] {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 8))
	distinct := rapid.IntRange(1, n).Draw(t, "distinct")
	x := vec.New[T](n, dim)
	for i := range n {
		if i >= distinct {
			copy(x.Row(i), x.Row(rng.IntN(distinct)))
			continue
		}
		share := float64(rng.IntN(5)) / 4
		for k := range x.Row(i) {
			if rng.Float64() < share {
				x.Row(i)[k] = 1
			}
		}
	}
	return x
}

// Bit searches equal the double loop of squared distances, bit for bit, with every instruction set
// and any number of threads.
func TestBitsAreBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(2, 400).Draw(t, "n"), rapid.IntRange(knn.LeastBits, 300).Draw(t, "dim")
		k := rapid.IntRange(1, min(n-1, 20)).Draw(t, "k")
		x := bitsOf[float32](t, n, dim)
		if !knn.Binary(x, 1) {
			t.Fatal("these are no bits")
		}
		ctx, set := context.Background(), knn.Settings{Threads: rapid.IntRange(1, 4).Draw(t, "threads")}
		equal := func(what string, want *knn.Neighbors) func(*knn.Neighbors, error) {
			return func(got *knn.Neighbors, err error) {
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				if !knntest.Equal(got, want) {
					t.Fatalf("%s: %v, want %v", what, got, want)
				}
			}
		}
		graph := knntest.BruteGraph(x, k)
		equal("graph", graph)(knn.Graph(ctx, x, k, set))
		equal("graph of float64", graph)(knn.Graph(ctx, vec.Convert[float64](x), k, set))
		for _, level := range simd.Levels() {
			equal("graph at "+level.String(), graph)(knn.BitGraphAt(x, level, k, set))
		}

		q := bitsOf[float32](t, rapid.IntRange(1, 100).Draw(t, "queries"), dim)
		index := knn.NewExact(x)
		held := index.Bytes()
		equal("index", knntest.Brute(x, q, k, nil))(index.Search(ctx, q, k, set))
		if now := index.Bytes(); now != held {
			t.Fatalf("a search of bits took %d bytes more", now-held)
		}
		q.Row(0)[dim/2] = 0.25
		equal("index, of other values", knntest.Brute(x, q, k, nil))(index.Search(ctx, q, k, set))

		label, rows := make([]int32, n), []int32{}
		for i := range label {
			if label[i] = int32(2 * i / n); i%3 == 0 {
				rows = append(rows, int32(n-1-i))
			}
		}
		k = min(k, n/2)
		equal("unlike", knntest.Brute(x, vec.Take(x, rows), k, func(r, j int) bool { return label[rows[r]] == label[j] }))(
			knn.NearestUnlike(ctx, x, rows, label, k, set))
	})
}

// Rows with one value other than 0 and 1 are not binary, and neither are rows of few columns.
func TestBinary(t *testing.T) {
	ones := vec.New[float32](3000, knn.LeastBits)
	for p := range ones.Data {
		ones.Data[p] = 1
	}
	if !knn.Binary(ones, 2) {
		t.Error("ones are no bits")
	}
	if narrow := vec.New[float32](3000, knn.LeastBits-1); knn.Binary(narrow, 2) {
		t.Error("few columns are bits")
	}
	for _, at := range []int{0, len(ones.Data) / 2, len(ones.Data) - 1} {
		x := ones.Clone()
		x.Data[at] = 2
		if knn.Binary(x, 2) {
			t.Errorf("a 2 at %d is a bit", at)
		}
	}
	if knn.Binary(vec.New[float32](0, knn.LeastBits), 1) {
		t.Error("no rows are bits")
	}
}

// An interrupted bit search returns the context's error.
func TestBitsInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if nb, err := knn.Graph(ctx, vec.New[float32](500, 64), 3, knn.Settings{}); err == nil {
		t.Errorf("%v and no error", nb)
	}
}

// The rows have 784 bits in ten groups, like thresholded pictures.
func BenchmarkBitGraph20000x784(b *testing.B) {
	const n, dim = 20_000, 784
	rng := rand.New(rand.NewPCG(1, 2))
	share := vec.New[float64](10, dim)
	for p := range share.Data {
		share.Data[p] = 0.3 * rng.Float64()
	}
	x := vec.New[float32](n, dim)
	for i := range n {
		for k, s := range share.Row(i % 10) {
			if rng.Float64() < s {
				x.Row(i)[k] = 1
			}
		}
	}
	for b.Loop() {
		if _, err := knn.Graph(context.Background(), x, 10, knn.Settings{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n*n), "ns/pair")
}
