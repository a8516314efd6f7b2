package hnsw

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

// neighbours returns the neighbours of the rows of x, k each or all others.
func neighbours(t testing.TB, x vec.Matrix[float32], k int) *knn.Neighbors {
	t.Helper()
	k = min(k, x.Rows-1)
	if k < 1 {
		return knn.NewNeighbors(x.Rows, 0)
	}
	nb, err := knn.Graph(context.Background(), x, k, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return nb
}

// buildFrom builds an index from lists and verifies it.
func buildFrom(t testing.TB, x vec.Matrix[float32], nb *knn.Neighbors, set Settings, s knn.Settings) *Index {
	t.Helper()
	ix, err := BuildFrom(context.Background(), x, nb, set, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := ix.verify(); err != nil {
		t.Fatal(err)
	}
	return ix
}

// An index from lists passes the conformance suite, also with equal rows and with lists that lead
// nowhere.
func TestConformanceFromLists(t *testing.T) {
	for name, c := range map[string]struct {
		k       int
		set     Settings
		options knntest.Options
	}{
		"default settings":            {12, Settings{Seed: 1}, knntest.Options{Recall: 0.97}},
		"exact":                       {9, Settings{Seed: 2, Ef: 1000, M: 5, EfConstruction: 20}, knntest.Options{Exact: true}},
		"lists of one, every one far": {-1, Settings{Seed: 3, Ef: 1000, M: 4}, knntest.Options{Exact: true}},
	} {
		t.Run(name, func(t *testing.T) {
			knntest.Conformance(t, c.options, func(x vec.Matrix[float32]) knn.Index {
				for _, v := range x.Data {
					if v-v != 0 {
						_, err := BuildFrom(context.Background(), x, knn.NewNeighbors(x.Rows, 0), c.set, knn.Settings{})
						return failing{err: err}
					}
				}
				nb := knn.NewNeighbors(x.Rows, 1)
				for i := range nb.Index {
					nb.Index[i] = int32(x.Rows - 1 - i) // a pair of rows leads to one another; one to itself
				}
				if c.k > 0 {
					nb = neighbours(t, x, c.k)
				}
				return buildFrom(t, x, nb, c.set, knn.Settings{})
			})
		})
	}
}

// An index from lists has the recall of one with searched links, for the same number of candidates.
func TestRecallFromLists(t *testing.T) {
	const n, k, ef = 6000, 10, 40
	for name, x := range map[string]vec.Matrix[float32]{
		"clusters":  clouds(n + 200),
		"no groups": knntest.Points[float32]("gauss", n+200, 12, 1),
	} {
		x, q := x.Slice(0, n), x.Slice(n, n+200)
		own := make([]int32, n)
		for i := range own {
			own[i] = int32(i)
		}
		searched := recall(t, build(t, x, Settings{EfConstruction: 64}, knn.Settings{}), x, q, own, k, ef)
		listed := recall(t, buildFrom(t, x, neighbours(t, x, k), Settings{}, knn.Settings{}), x, q, own, k, ef)
		t.Logf("%s: recall %.4f by searches, %.4f by lists", name, searched, listed)
		if listed < searched-0.01 {
			t.Errorf("%s: recall %.4f by searches, %.4f by lists", name, searched, listed)
		}
	}
}

// An index from lists does not depend on the number of threads, and can be saved, loaded and
// changed like any other.
func TestFromListsGoesOn(t *testing.T) {
	x := knntest.Points[float32]("gauss", 1500, 7, 1)
	nb := neighbours(t, x, 10)
	one := buildFrom(t, x, nb, Settings{Seed: 4}, knn.Settings{Threads: 1})
	two := buildFrom(t, x, &knn.Neighbors{N: nb.N, K: nb.K, Index: nb.Index}, Settings{Seed: 4}, knn.Settings{Threads: 3})
	if !bytes.Equal(saved(t, one), saved(t, two)) {
		t.Error("it depends on the number of threads, or on distances")
	}
	again, err := LoadLinks(bytes.NewReader(links(t, one)), rowsOf(one))
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Delete([]int32{0, 3, 1499}, knn.Settings{}); err != nil {
		t.Fatal(err)
	}
	if _, err := again.Insert(context.Background(), knntest.Points[float32]("gauss", 40, 7, 2), knn.Settings{}); err != nil {
		t.Fatal(err)
	}
	if err := again.verify(); err != nil {
		t.Error(err)
	}
}

func TestFromListsRefuses(t *testing.T) {
	x := knntest.Points[float32]("gauss", 200, 3, 1)
	nb := neighbours(t, x, 10)
	if _, err := BuildFrom(context.Background(), x.Slice(0, 199), nb, Settings{}, knn.Settings{}); err == nil {
		t.Error("lists of other rows are taken")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := BuildFrom(ctx, x, nb, Settings{}, knn.Settings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v when it was cancelled", err)
	}
	bad := x.Clone()
	bad.Row(170)[2] = float32(math.NaN())
	var value *knn.ValueError
	if _, err := BuildFrom(context.Background(), bad, nb, Settings{}, knn.Settings{}); !errors.As(err, &value) || value.Row != 170 || value.Col != 2 {
		t.Errorf("error %v of a value that is no number in row 170, column 2", err)
	}
	if _, err := BuildFrom(context.Background(), x, nb, Settings{M: 1}, knn.Settings{}); err == nil {
		t.Error("M = 1 is taken")
	}
}

func BenchmarkBuildFrom(b *testing.B) {
	x := clouds(20000)
	for _, k := range []int{10, 15} {
		nb := neighbours(b, x, k)
		b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
			for b.Loop() {
				if _, err := BuildFrom(context.Background(), x, nb, Settings{}, knn.Settings{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*x.Rows), "µs/row")
		})
	}
}
