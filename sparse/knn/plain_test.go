package knn_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

// others are the distances with their own search.
var others = distance.All()[1:]

func TestConformanceOfDistances(t *testing.T) {
	for _, d := range others {
		t.Run(d.String(), func(t *testing.T) {
			knntest.Conformance(t, knntest.Options{Exact: true, Distance: d}, func(x vec.Matrix[float32]) knn.Index {
				return knn.NewExactBy(d, x)
			})
		})
	}
}

// rowsFor draws rows for which a distance is defined, some of them equal.
func rowsFor(t *rapid.T, d distance.Distance, n, dim int) vec.Matrix[float32] {
	if d.Bits() {
		return bitsOf[float32](t, n, dim)
	}
	x := knntest.Points[float32](rapid.SampledFrom(knntest.Kinds).Draw(t, "kind"), n, dim, rapid.Uint64().Draw(t, "seed"))
	distance.Restrict(d, x)
	return x
}

// Every search under a distance equals the double loop, bit for bit, for any number of threads.
func TestDistancesAreBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(others).Draw(t, "distance")
		n, dim := rapid.IntRange(2, 400).Draw(t, "n"), rapid.IntRange(1, 100).Draw(t, "dim")
		k := rapid.IntRange(1, min(n-1, 20)).Draw(t, "k")
		x := rowsFor(t, d, n, dim)
		ctx, set := context.Background(), knn.Settings{Threads: rapid.IntRange(1, 4).Draw(t, "threads"), Distance: d}
		equal := func(what string, want *knn.Neighbors) func(*knn.Neighbors, error) {
			return func(got *knn.Neighbors, err error) {
				if err != nil {
					t.Fatalf("%v, %s: %v", d, what, err)
				}
				if !knntest.Equal(got, want) {
					t.Fatalf("%v, %s: %v, want %v", d, what, got, want)
				}
			}
		}
		graph := knntest.BruteGraphBy(d, x, k)
		equal("graph", graph)(knn.Graph(ctx, x, k, set))
		equal("graph of float64", graph)(knn.Graph(ctx, vec.Convert[float64](x), k, set))

		given, of := &knn.Given{N: n, K: k, Index: graph.Index}, make([]int32, n)
		for i := range of {
			of[i] = int32(i)
		}
		equal("given", graph)(knn.FromGiven(ctx, x, of, given, k, k, set))

		q := rowsFor(t, d, rapid.IntRange(1, 100).Draw(t, "queries"), dim)
		equal("index", knntest.BruteBy(d, x, q, k, nil))(knn.NewExactBy(d, x).Search(ctx, q, k, set))

		label, rows := make([]int32, n), []int32{}
		for i := range label {
			if label[i] = int32(2 * i / n); i%3 == 0 {
				rows = append(rows, int32(n-1-i))
			}
		}
		k = min(k, n/2)
		equal("unlike", knntest.BruteBy(d, x, vec.Take(x, rows), k, func(r, j int) bool { return label[rows[r]] == label[j] }))(
			knn.NearestUnlike(ctx, x, rows, label, k, set))
	})
}

// After insertions and deletions, neighbours and reverse neighbours equal those of the double loop,
// under any distance.
func TestDistancesOfRowsThatComeAndGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(append([]distance.Distance{distance.Euclidean}, others...)).Draw(t, "distance")
		top, dim := rapid.IntRange(4, 300).Draw(t, "top"), rapid.IntRange(1, 90).Draw(t, "dim")
		x := rowsFor(t, d, top, dim)
		s := knn.NewDynamicExact(d, dim)
		var all []int32
		for i := range int32(top) {
			all = append(all, i)
		}
		put(t, s, all, x)
		gone := slices.DeleteFunc(slices.Clone(all), func(i int32) bool { return i%3 != 1 })
		s.Remove(gone)
		again := gone[:len(gone)/2]
		put(t, s, again, vec.Take(x, gone[len(gone)-len(again):])) // other rows in freed slots
		have := slices.DeleteFunc(all, func(i int32) bool { return !s.Has(i) })

		k := rapid.IntRange(1, 12).Draw(t, "k")
		ask := have[:rapid.IntRange(1, len(have)).Draw(t, "ask")]
		reach := make([]float64, s.Top())
		for i := range reach {
			if reach[i] = -1; s.Has(int32(i)) && i%2 == 0 {
				reach[i] = distance.Between(d, s.Row(int32(i)), s.Row(have[(i*7+1)%len(have)]))
			}
		}
		lists, within, err := s.SearchReverse(context.Background(), ask, k, reach, knn.Settings{Threads: rapid.IntRange(1, 3).Draw(t, "threads")})
		if err != nil {
			t.Fatal(err)
		}
		rows := vec.New[float32](len(have), dim)
		for r, slot := range have {
			copy(rows.Row(r), s.Row(slot))
		}
		var want []knn.ReverseNeighbor
		full := min(k, len(have)-1)
		brute := knntest.BruteBy(d, rows, rows.Slice(0, len(ask)), full, func(i, j int) bool { return i == j })
		for r := range ask {
			index, dist2 := lists.Row(r)
			wi, wd := brute.Row(r)
			for p := range wi {
				if index[p] != have[wi[p]] || dist2[p] != wd[p] {
					t.Fatalf("%v: neighbour %d of slot %d is %d at %v, want %d at %v", d, p, ask[r], index[p], dist2[p], have[wi[p]], wd[p])
				}
			}
			for j, slot := range have {
				if d2 := distance.Between(d, rows.Row(r), rows.Row(j)); j != r && d2 <= reach[slot] {
					want = append(want, knn.ReverseNeighbor{Row: slot, New: ask[r], Dist2: d2})
				}
			}
		}
		slices.SortFunc(want, knn.CompareReverse)
		alone, err := s.Within(context.Background(), ask, reach, knn.Settings{Threads: 2})
		if slices.SortFunc(alone, knn.CompareReverse); err != nil || !slices.Equal(within, want) || !slices.Equal(alone, want) {
			t.Fatalf("%v: %d pairs within reach, %d alone, want %d: %v", d, len(within), len(alone), len(want), err)
		}
	})
}

// Rows that are not binary are rejected under Jaccard's distance, as rows and as queries.
func TestOnlyBitsHaveJaccard(t *testing.T) {
	x := vec.New[float32](9, 3)
	bad := x.Clone()
	bad.Row(4)[2] = 0.5
	ctx, set := t.Context(), knn.Settings{Distance: distance.Jaccard}
	refused := func(what string, err error) {
		var bit *distance.DomainError
		if !errors.As(err, &bit) || bit.Row != 4 || bit.Col != 2 || bit.Value != 0.5 {
			t.Errorf("%s: error %v", what, err)
		}
	}
	_, err := knn.Graph(ctx, bad, 2, set)
	refused("graph", err)
	_, err = knn.NewExactBy(distance.Jaccard, bad).Search(ctx, x, 2, knn.Settings{})
	refused("index", err)
	_, err = knn.NewExactBy(distance.Jaccard, x).Search(ctx, bad, 2, knn.Settings{})
	refused("queries", err)
	_, err = knn.NearestUnlike(ctx, bad, []int32{0}, []int32{0, 1, 1, 1, 1, 1, 1, 1, 1}, 2, set)
	refused("unlike", err)
	refused("put", knn.NewDynamicExact(distance.Jaccard, 3).Put([]int32{0, 1, 2, 3, 4, 5, 6, 7, 8}, bad, 1))
	_, err = knn.FromGiven(ctx, bad, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8}, &knn.Given{N: 9, K: 1, Index: make([]int32, 9)}, 1, 1, set)
	refused("given", err)
}

// BenchmarkDistanceGraph measures graphs under each distance, for rows similar to principal
// components and for binary rows.
func BenchmarkDistanceGraph(b *testing.B) {
	const n, dim = 5000, 50
	for _, d := range others {
		x := components(n, dim)
		distance.Restrict(d, x)
		b.Run(d.String(), func(b *testing.B) {
			for b.Loop() {
				if _, err := knn.Graph(context.Background(), x, 10, knn.Settings{Threads: 1, Distance: d}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n*n), "ns/pair")
		})
	}
}
