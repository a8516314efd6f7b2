package hnsw

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

// recall returns the share of the true k neighbours of q among rows that the
// index finds; rows[i] is the number of row i of x.
func recall(t *testing.T, ix *Index, x, q vec.Matrix[float32], rows []int32, k, ef int) float64 {
	t.Helper()
	got, err := ix.SearchEf(context.Background(), q, k, ef, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	hits := 0
	for i := range q.Rows {
		index, _ := got.Row(i)
		want, _ := knntest.Brute(x, q.Slice(i, i+1), k, nil).Row(0)
		for _, j := range want {
			if slices.Contains(index, rows[j]) {
				hits++
			}
		}
	}
	return float64(hits) / float64(q.Rows*k)
}

// Deleting half of the rows, a few at a time, costs little recall: the index is nearly as good as
// one built from the remaining rows.
func TestRecallAfterDeletes(t *testing.T) {
	const n, dim, k, ef = 4000, 16, 10, 40
	x, q := knntest.Points[float32]("gauss", n, dim, 1), knntest.Points[float32]("gauss", 100, dim, 2)
	ix := build(t, x, Settings{}, knn.Settings{})
	var stay []int32
	for r := int32(0); r < n; r += 2 {
		stay = append(stay, r+1)
		if r%100 == 98 {
			var gone []int32
			for g := r - 98; g <= r; g += 2 {
				gone = append(gone, g)
			}
			if err := ix.Delete(gone, knn.Settings{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	y := vec.Take(x, stay)
	fresh := build(t, y, Settings{}, knn.Settings{})
	own := make([]int32, y.Rows)
	for i := range own {
		own[i] = int32(i)
	}
	was, is := recall(t, fresh, y, q, own, k, ef), recall(t, ix, y, q, stay, k, ef)
	t.Logf("recall %.3f when built from nothing, %.3f after deletes", was, is)
	if was < 0.95 || is < was-0.03 {
		t.Errorf("recall %.3f when built from nothing, %.3f after deletes", was, is)
	}
}

// Inserting all rows in one call, in batches, gives nearly the same recall as inserting one at a
// time.
func TestBatchesCostLittleRecall(t *testing.T) {
	const n, dim, k, ef = 4000, 16, 10, 40
	x, q := knntest.Points[float32]("gauss", n, dim, 1), knntest.Points[float32]("gauss", 200, dim, 2)
	single, err := New(dim, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	own := make([]int32, n)
	for i := range own {
		own[i] = int32(i)
		if _, err := single.Insert(context.Background(), x.Slice(i, i+1), knn.Settings{}); err != nil {
			t.Fatal(err)
		}
	}
	one, all := recall(t, single, x, q, own, k, ef), recall(t, build(t, x, Settings{}, knn.Settings{}), x, q, own, k, ef)
	t.Logf("recall %.4f one at a time, %.4f in batches", one, all)
	if one < 0.95 || all < one-0.01 {
		t.Errorf("recall %.4f one at a time, %.4f in batches", one, all)
	}
}

// Many equal or nearly equal rows neither cut other rows off nor hide them, inserted in one call or
// one at a time.
func TestHeaps(t *testing.T) {
	const dim, k = 6, 12
	x := knntest.Points[float32]("gauss", 3000, dim, 4)
	for i := 1000; i < 2000; i++ {
		copy(x.Row(i), x.Row(500))
	}
	for i := 2000; i < 2500; i++ {
		copy(x.Row(i), x.Row(700))
		x.Row(i)[i%dim] += 1e-6 * float32(i-2000)
	}
	whole := build(t, x, Settings{Seed: 1}, knn.Settings{})
	single, err := New(dim, Settings{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	own := make([]int32, x.Rows)
	for i := range x.Rows {
		own[i] = int32(i)
		if rows, err := single.Insert(context.Background(), x.Slice(i, i+1), knn.Settings{}); err != nil || len(rows) != 1 || rows[0] != int32(i) {
			t.Fatalf("row %d was given numbers %v, error %v", i, rows, err)
		}
	}
	q := vec.Take(x, []int32{3, 100, 499, 500, 501, 699, 700, 1500, 2200, 2600, 2999})
	for name, ix := range map[string]*Index{"whole": whole, "single": single} {
		if err := ix.verify(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if twins := len(ix.twins(500, 5000, nil)); twins != 1000 {
			t.Errorf("%s: row 500 has %d twins, want 1000", name, twins)
		}
		if r := recall(t, ix, x, q, own, k, 100); r < 0.97 {
			t.Errorf("%s: recall %.3f", name, r)
		}
	}
}

// Equal rows of one batch are recognised before any of them is in the graph, including zeros of
// both signs.
func TestEqualRowsOfABatch(t *testing.T) {
	const n, dim, equal = 6400, 3, 100
	ix := build(t, knntest.Points[float32]("gauss", n, dim, 4), Settings{}, knn.Settings{})
	y := vec.New[float32](equal, dim)
	for i := range equal {
		copy(y.Row(i), []float32{9, float32(math.Copysign(0, float64(i%2)-0.5)), -9})
	}
	if batchSize(n) < equal {
		t.Fatalf("a batch has %d rows", batchSize(n))
	}
	rows, err := ix.Insert(context.Background(), y, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if twins := ix.twins(rows[0], n, nil); !slices.Equal(twins, rows[1:]) {
		t.Errorf("row %d has %d twins, want %d", rows[0], len(twins), equal-1)
	}
	nb, err := ix.SearchEf(context.Background(), y.Slice(0, 1), equal+1, 200, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(nb.Index[:equal], rows) || nb.Dist2[equal-1] != 0 || nb.Dist2[equal] == 0 {
		t.Errorf("near the heap are %v", nb.Index)
	}
}

func TestRefusals(t *testing.T) {
	for _, s := range []Settings{{M: 3}, {M: 257}, {EfConstruction: 15}, {EfConstruction: -1}, {Ef: -1}, {Ef: mostEf + 1}} {
		if _, err := New(3, s); err == nil {
			t.Errorf("%+v: no error", s)
		}
	}
	for _, dim := range []int{0, -1, mostDim + 1} {
		if _, err := New(dim, Settings{}); err == nil {
			t.Errorf("dimension %d: no error", dim)
		}
	}
	ix := build(t, knntest.Points[float32]("gauss", 30, 2, 1), Settings{}, knn.Settings{})
	before := saved(t, ix)
	bad := vec.New[float32](3, 2)
	bad.Row(2)[1] = float32(math.Inf(-1))
	var value *knn.ValueError
	if _, err := ix.Insert(context.Background(), bad, knn.Settings{}); !errors.As(err, &value) || value.Row != 2 || value.Col != 1 {
		t.Errorf("inserting an infinity: %v", err)
	}
	if _, err := ix.Insert(context.Background(), vec.New[float32](1, 3), knn.Settings{}); err == nil {
		t.Error("inserted a row of another dimension")
	}
	for _, rows := range [][]int32{{30}, {-1}, {4, 5, 4}} {
		if err := ix.Delete(rows, knn.Settings{}); err == nil {
			t.Errorf("deleted %v", rows)
		}
	}
	if !slices.Equal(saved(t, ix), before) {
		t.Error("what failed left a trace")
	}
	if ix.Has(30) || ix.Has(-1) || !ix.Has(29) || ix.Row(30) != nil {
		t.Error("the index has other rows than 0 to 29")
	}
}

// A cancelled insertion keeps exactly the rows that it reports.
func TestInsertCancelled(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	x := knntest.Points[float32]("gauss", 2000, 3, 1)
	ix, err := New(3, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := ix.Insert(ctx, x, knn.Settings{Progress: func(done, total int) {
		if total != x.Rows {
			t.Errorf("progress of %d rows, want %d", total, x.Rows)
		}
		if done >= 500 {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) || len(rows) < 500 || len(rows) >= 1000 || ix.Len() != len(rows) {
		t.Fatalf("%d rows inserted, index of %d, error %v", len(rows), ix.Len(), err)
	}
	if err := ix.verify(); err != nil {
		t.Fatal(err)
	}
	more, err := ix.Insert(context.Background(), x.Slice(len(rows), x.Rows), knn.Settings{})
	if err != nil || more[0] != int32(len(rows)) || ix.Len() != x.Rows {
		t.Fatalf("going on from row %d of %d, error %v", more[0], len(rows), err)
	}
}

// Concurrent searches, insertions and deletions all give valid answers.
func TestConcurrentUse(t *testing.T) {
	x := knntest.Points[float32]("duplicates", 1500, 5, 1)
	ix := build(t, x.Slice(0, 500), Settings{}, knn.Settings{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range 30 {
				nb, err := ix.Search(context.Background(), x.Slice(0, 100), 9, knn.Settings{Threads: 2})
				if err != nil || slices.Contains(nb.Index, none) {
					t.Errorf("search: %v", err)
					return
				}
			}
		})
	}
	for from := 500; from < x.Rows; from += 100 {
		rows, err := ix.Insert(context.Background(), x.Slice(from, from+100), knn.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if err := ix.Delete(rows[:50], knn.Settings{}); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	if err := ix.verify(); err != nil {
		t.Fatal(err)
	}
}

// A search allocates only its result, and Bytes returns the index's memory.
func TestMemory(t *testing.T) {
	const n, dim = 5000, 20
	x := knntest.Points[float32]("gauss", n, dim, 1)
	ix := build(t, x, Settings{}, knn.Settings{})
	least := int64(n * (4*dim + 4*32 + 6))
	if b := ix.Bytes(); b < least || b > 2*least {
		t.Errorf("%d bytes, want %d to twice that", b, least)
	}
	q := x.Slice(7, 8)
	search := func() {
		if _, err := ix.Search(context.Background(), q, 10, knn.Settings{}); err != nil {
			t.Fatal(err)
		}
	}
	search()
	if a := testing.AllocsPerRun(100, search); a > 3 {
		t.Errorf("%v allocations a search, want 3: the result and its two lists", a)
	}
}
