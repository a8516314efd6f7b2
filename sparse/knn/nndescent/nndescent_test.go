package nndescent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd/dist"
	"unfold/internal/vec"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

func graph(t testing.TB, x vec.Matrix[float32], k int, set Settings, s knn.Settings) (*knn.Neighbors, Report) {
	t.Helper()
	nb, report, err := Graph(context.Background(), x, k, set, s)
	if err != nil {
		t.Fatal(err)
	}
	if nb.N != x.Rows || nb.K != k {
		t.Fatalf("%d lists of %d, want %d of %d", nb.N, nb.K, x.Rows, k)
	}
	return nb, report
}

// wellFormed checks the conditions for any graph, exact or not: true distances, order, no row
// twice, and no row as its own neighbour.
func wellFormed(t testing.TB, x vec.Matrix[float32], nb *knn.Neighbors) {
	t.Helper()
	wellFormedBy(t, distance.Euclidean, x, nb)
}

func wellFormedBy(t testing.TB, by distance.Distance, x vec.Matrix[float32], nb *knn.Neighbors) {
	t.Helper()
	for i := range nb.N {
		index, dist2 := nb.Row(i)
		for p, j := range index {
			if j < 0 || int(j) >= x.Rows || int(j) == i || slices.Contains(index[:p], j) {
				t.Fatalf("row %d has neighbours %v", i, index)
			}
			if want := distance.Between(by, x.Row(i), x.Row(int(j))); dist2[p] != want {
				t.Fatalf("row %d: row %d at %v, really %v", i, j, dist2[p], want)
			}
			if p > 0 && (dist2[p] < dist2[p-1] || (dist2[p] == dist2[p-1] && j < index[p-1])) {
				t.Fatalf("row %d: not sorted: %v %v", i, index, dist2)
			}
		}
	}
}

// The graph is well formed for every kind of difficult points. Without ties it has most of the true
// neighbours, even without any structure in 40 dimensions.
func TestKinds(t *testing.T) {
	for _, kind := range knntest.Kinds {
		for _, size := range []struct{ n, dim, k int }{{2500, 5, 7}, {1800, 40, 15}} {
			t.Run(fmt.Sprintf("%s %dx%d", kind, size.n, size.dim), func(t *testing.T) {
				x := knntest.Points[float32](kind, size.n, size.dim, 1)
				nb, report := graph(t, x, size.k, Settings{Sample: 300}, knn.Settings{})
				wellFormed(t, x, nb)
				if report.Sampled != 300 || report.Rounds < 1 || report.Bytes < int64(4*size.n*size.dim) {
					t.Errorf("report %+v", report)
				}
				if least := map[string]float64{"gauss": 0.93, "duplicates": 0.93, "constant": 1, "offset": 0.93}[kind]; report.Recall < least {
					t.Errorf("recall %.4f, want at least %v", report.Recall, least)
				}
			})
		}
	}
}

// Under every distance of numbers, lists have true distances and most of the true neighbours, for any
// number of threads.
func TestDistances(t *testing.T) {
	x := knntest.Points[float32]("gauss", 1800, 12, 1)
	for i, v := range x.Data {
		x.Data[i] = max(v, -v)
	}
	for _, by := range distance.All() {
		if by.Bits() {
			continue
		}
		t.Run(by.String(), func(t *testing.T) {
			nb, report := graph(t, x, 10, Settings{Sample: 300}, knn.Settings{Distance: by})
			wellFormedBy(t, by, x, nb)
			if report.Recall < 0.95 {
				t.Errorf("recall %.4f, want at least .95", report.Recall)
			}
			one, _ := graph(t, x, 10, Settings{}, knn.Settings{Distance: by, Threads: 1})
			if !slices.Equal(one.Index, nb.Index) {
				t.Error("one thread finds other neighbours")
			}
		})
	}
}

// The reported recall of all rows equals that of a comparison with the exact graph.
func TestRecallIsTrue(t *testing.T) {
	const n, k = 3000, 6
	x := knntest.Points[float32]("gauss", n, 12, 2)
	nb, report := graph(t, x, k, Settings{Sample: n, Rounds: 1, Trees: 1}, knn.Settings{})
	want, err := knn.Graph(context.Background(), x, k, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	hits := 0
	for i := range n {
		got, _ := nb.Row(i)
		truth, _ := want.Row(i)
		for _, j := range got {
			if slices.Contains(truth, j) {
				hits++
			}
		}
	}
	if recall := float64(hits) / (n * k); recall != report.Recall || recall > 0.999 {
		t.Errorf("recall %v after one round from one tree, reported %v", recall, report.Recall)
	}
}

// The graph does not depend on the number of threads.
func TestThreads(t *testing.T) {
	x := knntest.Points[float32]("duplicates", 3000, 20, 3)
	want, report := graph(t, x, 9, Settings{Seed: 4}, knn.Settings{Threads: 1})
	for _, threads := range []int{2, 3} {
		got, r := graph(t, x, 9, Settings{Seed: 4}, knn.Settings{Threads: threads})
		if !knntest.Equal(got, want) || r.Rounds != report.Rounds || r.Changed != report.Changed {
			t.Errorf("another graph with %d threads", threads)
		}
	}
}

// Few rows, or lists of nearly all rows, give the exact graph.
func TestFewRows(t *testing.T) {
	for _, size := range []struct{ n, k int }{{2, 1}, {100, 99}, {1024, 15}, {1100, 1099}} {
		x := knntest.Points[float32]("gauss", size.n, 4, 3)
		nb, report := graph(t, x, size.k, Settings{}, knn.Settings{})
		if report != (Report{}) || !knntest.Equal(nb, knntest.BruteGraph(x, size.k)) {
			t.Errorf("%d neighbours for %d rows: not exact, report %+v", size.k, size.n, report)
		}
	}
}

func TestRefusals(t *testing.T) {
	x := knntest.Points[float32]("gauss", 1500, 3, 1)
	for _, k := range []int{0, -1, 1500} {
		if _, _, err := Graph(context.Background(), x, k, Settings{}, knn.Settings{}); err == nil {
			t.Errorf("%d neighbours: no error", k)
		}
	}
	for _, set := range []Settings{{Trees: -1}, {Candidates: -1}, {Rounds: -1}, {Sample: -1}, {Enough: -1}, {Enough: math.NaN()}} {
		if _, _, err := Graph(context.Background(), x, 3, set, knn.Settings{}); err == nil {
			t.Errorf("%+v: no error", set)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	if _, _, err := Graph(ctx, x, 3, Settings{}, knn.Settings{Progress: func(done, total int) {
		if done > total {
			t.Errorf("%d of %d steps done", done, total)
		}
		if done == 3 {
			stop()
		}
	}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	x.Row(1200)[2] = float32(math.NaN())
	var value *knn.ValueError
	if _, _, err := Graph(context.Background(), x, 3, Settings{}, knn.Settings{}); !errors.As(err, &value) || value.Row != 1200 || value.Col != 2 {
		t.Errorf("NaN: %v", err)
	}
}

// ordered keeps the order of the values.
func TestOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float32().Draw(t, "a"), rapid.Float32().Draw(t, "b")
		if a < b && ordered(a) >= ordered(b) {
			t.Fatalf("%v before %v, but %x and %x", a, b, ordered(a), ordered(b))
		}
	})
}

// Merging lists equals sorting both and dropping duplicates.
func TestMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfNDistinct(rapid.Int32Range(0, 40), 1, 30, rapid.ID[int32])
		measure := func(r int32) float32 { return float32(r * 7 % 13) }
		var list []uint64
		for _, r := range rows.Draw(t, "list") {
			list = append(list, dist.Key(measure(r), r)|uint64(r%2))
		}
		slices.Sort(list)
		had, others := slices.Clone(list), rows.Draw(t, "others")
		var d []float32
		all := slices.Clone(list)
		for _, r := range others {
			d = append(d, measure(r))
			if k := dist.Key(measure(r), r); !slices.ContainsFunc(had, func(o uint64) bool { return o&^joined == k }) {
				all = append(all, k)
			}
		}
		slices.Sort(all)
		var w work
		w.collect(list, d, others)
		entered := w.merge(list)
		if !slices.Equal(list, all[:len(list)]) {
			t.Fatalf("merged %v, want %v", list, all[:len(list)])
		}
		for _, k := range list {
			if !slices.Contains(had, k) {
				entered--
			}
		}
		if entered != 0 {
			t.Fatalf("%d more entered than said", -entered)
		}
	})
}

func BenchmarkGraph(b *testing.B) {
	// Variances decrease, as in data after a principal component analysis.
	const n, dim = 20000, 50
	rng := rand.New(rand.NewPCG(1, 2))
	x := vec.New[float32](n, dim)
	for i := range x.Data {
		x.Data[i] = float32(rng.NormFloat64() / (1 + float64(i%dim)/4))
	}
	var report Report
	for b.Loop() {
		_, report = graph(b, x, 15, Settings{}, knn.Settings{})
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/row")
	b.ReportMetric(float64(report.Rounds), "rounds")
	_, report = graph(b, x, 15, Settings{Sample: 500}, knn.Settings{})
	b.ReportMetric(report.Recall, "recall")
}
