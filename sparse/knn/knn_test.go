package knn_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

func TestConformance(t *testing.T) {
	knntest.Conformance(t, knntest.Options{Exact: true}, func(x vec.Matrix[float32]) knn.Index {
		return knn.NewExact(x)
	})
}

// Rows beyond the first chunk of a search are found too.
func TestChunkedConformance(t *testing.T) {
	knntest.Conformance(t, knntest.Options{Exact: true}, func(x vec.Matrix[float32]) knn.Index {
		return knn.NewExactChunked(x, 2)
	})
}

func graph[T vec.Float](t interface{ Fatalf(string, ...any) }, x vec.Matrix[T], k, threads int) *knn.Neighbors {
	nb, err := knn.Graph(context.Background(), x, k, knn.Settings{Threads: threads})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return nb
}

// Graph equals the double loop, bit for bit, for any data and number of threads.
func TestGraphIsBruteForce(t *testing.T) {
	for _, kind := range knntest.Kinds {
		for _, size := range []struct{ n, dim, k int }{{2, 1, 1}, {30, 2, 29}, {600, 5, 9}, {400, 70, 4}} {
			t.Run(fmt.Sprintf("%s %dx%d", kind, size.n, size.dim), func(t *testing.T) {
				compareGraph(t, knntest.Points[float32](kind, size.n, size.dim, 11), size.k)
				compareGraph(t, knntest.Points[float64](kind, size.n, size.dim, 12), size.k)
			})
		}
	}
}

func compareGraph[T vec.Float](t *testing.T, x vec.Matrix[T], k int) {
	t.Helper()
	want := knntest.BruteGraph(x, k)
	for _, threads := range []int{1, 7} {
		got := graph(t, x, k, threads)
		if !knntest.Equal(got, want) {
			for i := range x.Rows {
				gi, gd := got.Row(i)
				wi, wd := want.Row(i)
				if !slices.Equal(gi, wi) || !slices.Equal(gd, wd) {
					t.Fatalf("%d threads, row %d:\n got %v %v\nwant %v %v", threads, i, gi, gd, wi, wd)
				}
			}
		}
	}
}

// Many rows are divided into larger blocks, whose pairing differs for odd and even numbers.
func TestGraphOfManyRows(t *testing.T) {
	for _, n := range []int{8193, 9300} {
		x := knntest.Points[float32]("gauss", n, 2, 4)
		nb := graph(t, x, 3, 0)
		var rows []int32
		for i := 0; i < n; i += 41 {
			rows = append(rows, int32(i))
		}
		want := knntest.Brute(x, vec.Take(x, rows), 3, func(r, j int) bool { return int(rows[r]) == j })
		for r, i := range rows {
			gi, gd := nb.Row(int(i))
			wi, wd := want.Row(r)
			if !slices.Equal(gi, wi) || !slices.Equal(gd, wd) {
				t.Fatalf("%d rows, row %d:\n got %v %v\nwant %v %v", n, i, gi, gd, wi, wd)
			}
		}
	}
}

func TestGraphProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 400).Draw(t, "n")
		dim := rapid.IntRange(1, 70).Draw(t, "dim")
		k := rapid.IntRange(1, min(n-1, 15)).Draw(t, "k")
		kind := rapid.SampledFrom(knntest.Kinds).Draw(t, "kind")
		x := knntest.Points[float64](kind, n, dim, rapid.Uint64().Draw(t, "seed"))
		got := graph(t, x, k, rapid.IntRange(1, 4).Draw(t, "threads"))
		if !knntest.Equal(got, knntest.BruteGraph(x, k)) {
			t.Fatalf("not the double loop's result")
		}
		// Scaling by a power of two only scales the distances.
		y := x.Clone()
		vec.Scale(0.25, y.Data)
		scaled := graph(t, y, k, 1)
		if kind == "tiny" {
			return // the squares underflow
		}
		for p := range scaled.Index {
			if scaled.Index[p] != got.Index[p] || scaled.Dist2[p]*16 != got.Dist2[p] {
				t.Fatalf("scaled by 1/4: neighbour %d is %d at %v, was %d at %v", p, scaled.Index[p], scaled.Dist2[p], got.Index[p], got.Dist2[p])
			}
		}
	})
}

func TestForeign(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 300).Draw(t, "n")
		labels := rapid.IntRange(2, 5).Draw(t, "labels")
		kind := rapid.SampledFrom(knntest.Kinds).Draw(t, "kind")
		x := knntest.Points[float64](kind, n, rapid.IntRange(1, 9).Draw(t, "dim"), rapid.Uint64().Draw(t, "seed"))
		label := make([]int32, n)
		size := make([]int, labels)
		for i := range label {
			label[i] = int32(rapid.IntRange(0, labels-1).Draw(t, "label"))
			size[label[i]]++
		}
		var rows []int32
		most := n
		for i := n - 1; i >= 0; i -= rapid.IntRange(1, 3).Draw(t, "step") {
			rows = append(rows, int32(i))
			most = min(most, n-size[label[i]])
		}
		if most == 0 {
			if _, err := knn.NearestUnlike(context.Background(), x, rows, label, 1, knn.Settings{}); err == nil {
				t.Fatalf("no error although a row has no foreign rows")
			}
			return
		}
		k := rapid.IntRange(1, min(most, 4)).Draw(t, "k")
		want := knntest.Brute(x, vec.Take(x, rows), k, func(r, j int) bool { return label[rows[r]] == label[j] })
		check := func(got *knn.Neighbors, err error) {
			if err != nil {
				t.Fatalf("%v", err)
			}
			if !knntest.Equal(got, want) {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
		check(knn.NearestUnlike(context.Background(), x, rows, label, k, knn.Settings{Threads: 2}))
		check(knn.NearestUnlikeChunked(x, rows, label, k, rapid.IntRange(1, 3).Draw(t, "panels")))
	})
}

func TestForeignRefuses(t *testing.T) {
	x := knntest.Points[float64]("gauss", 10, 2, 1)
	label := []int32{0, 0, 0, 0, 0, 0, 0, 0, 0, 1}
	for name, err := range map[string]error{
		"labels": errOf(knn.NearestUnlike(context.Background(), x, []int32{0}, label[:9], 1, knn.Settings{})),
		"row":    errOf(knn.NearestUnlike(context.Background(), x, []int32{10}, label, 1, knn.Settings{})),
		"k":      errOf(knn.NearestUnlike(context.Background(), x, []int32{0}, label, 2, knn.Settings{})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func errOf(_ *knn.Neighbors, err error) error { return err }

func TestGraphRefuses(t *testing.T) {
	x := knntest.Points[float64]("gauss", 10, 3, 1)
	for name, err := range map[string]error{
		"k = 0":   errOf(knn.Graph(context.Background(), x, 0, knn.Settings{})),
		"k = n":   errOf(knn.Graph(context.Background(), x, 10, knn.Settings{})),
		"no rows": errOf(knn.Graph(context.Background(), vec.New[float64](0, 3), 1, knn.Settings{})),
		"no cols": errOf(knn.Graph(context.Background(), vec.New[float64](5, 0), 1, knn.Settings{})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(-1), 1e200} {
		y := x.Clone()
		y.Data[7*3+1] = bad
		var value *knn.ValueError
		if _, err := knn.Graph(context.Background(), y, 2, knn.Settings{}); !errors.As(err, &value) || value.Row != 7 || value.Col != 1 {
			t.Errorf("%v in row 7, column 1: error %v", bad, err)
		}
	}
}

// A search returns the context's error soon after it ends.
func TestGraphStops(t *testing.T) {
	x := knntest.Points[float32]("gauss", 3000, 10, 1)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	steps := 0
	_, err := knn.Graph(ctx, x, 3, knn.Settings{Threads: 2, Progress: func(done, total int) {
		steps++
		if done != steps || total < 10 {
			t.Errorf("step %d reports %d of %d", steps, done, total)
		}
		if done == 3 {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if steps > 6 {
		t.Fatalf("%d tasks were done after the context ended", steps-3)
	}
}

// Queries far outside the range of the rows exceed the bound's range and are computed exactly.
func TestFarQueries(t *testing.T) {
	x := knntest.Points[float32]("gauss", 200, 3, 1)
	q := knntest.Points[float32]("huge", 20, 3, 2)
	got, err := knn.NewExact(x).Search(context.Background(), q, 7, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if !knntest.Equal(got, knntest.Brute(x, q, 7, nil)) {
		t.Fatal("not the double loop's result")
	}
}

func ExampleGraph() {
	x := vec.Of(4, 1, []float64{0, 1, 3, 7})
	nb, err := knn.Graph(context.Background(), x, 2, knn.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range nb.N {
		index, dist2 := nb.Row(i)
		fmt.Println(i, index, dist2)
	}
	// Output:
	// 0 [1 2] [1 9]
	// 1 [0 2] [1 4]
	// 2 [1 0] [4 9]
	// 3 [2 1] [16 36]
}
