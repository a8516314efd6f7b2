package hnsw

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

// model is the reference implementation that an index is compared with: rows by number.
type model map[int32][]float32

func (m model) numbers() []int32 {
	var out []int32
	for r := range m {
		out = append(out, r)
	}
	slices.Sort(out)
	return out
}

// nearest returns the k nearest rows of q by sorting all of them.
func (m model) nearest(q []float32, k int) []found {
	var all []found
	for r, v := range m {
		all = append(all, found{vec.SquaredDistance(q, v), r})
	}
	slices.SortFunc(all, found.compare)
	return all[:k]
}

// draw returns rows; many are equal, to each other or to rows of m.
func (m model) draw(t *rapid.T, dim int) vec.Matrix[float32] {
	kind := rapid.SampledFrom([]string{"gauss", "grid", "duplicates", "constant", "clusters", "line"}).Draw(t, "kind")
	x := knntest.Points[float32](kind, rapid.IntRange(0, 60).Draw(t, "rows"), dim, rapid.Uint64().Draw(t, "seed"))
	for i, r := range m.numbers() {
		if i%3 == 0 && i < x.Rows {
			copy(x.Row(i), m[r])
		}
	}
	return x
}

func (m model) check(t *rapid.T, ix *Index) {
	if err := ix.verify(); err != nil {
		t.Fatal(err)
	}
	if ix.Len() != len(m) {
		t.Fatalf("%d rows, want %d", ix.Len(), len(m))
	}
	for r, v := range m {
		if !ix.Has(r) || !slices.Equal(ix.Row(r), v) {
			t.Fatalf("row %d is %v, want %v", r, ix.Row(r), v)
		}
	}
	if len(m) == 0 {
		return
	}
	k := rapid.IntRange(1, len(m)).Draw(t, "k")
	q := knntest.Points[float32]("gauss", 3, ix.Dim(), rapid.Uint64().Draw(t, "queries"))
	copy(q.Row(0), m[m.numbers()[0]])
	nb, err := ix.SearchEf(context.Background(), q, k, 1<<20, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range q.Rows {
		index, dist2 := nb.Row(i)
		for p, f := range m.nearest(q.Row(i), k) {
			if index[p] != f.row || dist2[p] != f.d2 {
				t.Fatalf("query %d, neighbour %d: row %d at %v, want %d at %v", i, p, index[p], dist2[p], f.row, f.d2)
			}
		}
	}
}

// After any insertions and deletions the index has the rows of the model, all of them reachable,
// and a saved and loaded index is the same.
func TestOperations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 4).Draw(t, "dim")
		ix, err := New(dim, Settings{M: rapid.SampledFrom([]int{4, 5, 8}).Draw(t, "M"), EfConstruction: 10, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		m := model{}
		t.Repeat(map[string]func(*rapid.T){
			"insert": func(t *rapid.T) {
				x := m.draw(t, dim)
				rows, err := ix.Insert(context.Background(), x, knn.Settings{})
				if err != nil || len(rows) != x.Rows {
					t.Fatalf("%d numbers for %d rows, error %v", len(rows), x.Rows, err)
				}
				for i, r := range rows {
					if _, had := m[r]; had {
						t.Fatalf("row number %d is given twice", r)
					}
					m[r] = slices.Clone(x.Row(i))
				}
			},
			"delete": func(t *rapid.T) {
				share := rapid.SampledFrom([]float64{0.02, 0.3, 0.9, 1}).Draw(t, "share")
				rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
				rows := slices.DeleteFunc(m.numbers(), func(int32) bool { return rng.Float64() >= share })
				rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
				if err := ix.Delete(rows, knn.Settings{}); err != nil {
					t.Fatal(err)
				}
				for _, r := range rows {
					delete(m, r)
				}
			},
			"save and load": func(t *rapid.T) {
				again, err := LoadLinks(bytes.NewReader(links(t, ix)), rowsOf(ix))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(saved(t, again), saved(t, ix)) {
					t.Fatal("a loaded index is saved as other bytes")
				}
				ix = again
			},
			"": func(t *rapid.T) { m.check(t, ix) },
		})
	})
}

type fataler interface {
	Helper()
	Fatal(...any)
}

// links returns the bytes of SaveLinks.
func links(t fataler, ix *Index) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := ix.SaveLinks(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// saved returns the links and the rows of an index as bytes.
func saved(t fataler, ix *Index) []byte {
	t.Helper()
	b := links(t, ix)
	for _, v := range rowsOf(ix).Data {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// rowsOf returns the rows of an index, zeros for vacant ones.
func rowsOf(ix *Index) vec.Matrix[float32] {
	x := vec.New[float32](len(ix.level), ix.dim)
	for i := range x.Rows {
		copy(x.Row(i), ix.vector(int32(i)))
	}
	return x
}

// No operation of the index depends on the number of threads.
func TestThreads(t *testing.T) {
	x := knntest.Points[float32]("duplicates", 3000, 12, 5)
	y := knntest.Points[float32]("gauss", 700, 12, 6)
	var want []byte
	for _, threads := range []int{1, 2, 3} {
		s := knn.Settings{Threads: threads}
		ix := build(t, x, Settings{Seed: 9}, s)
		var gone []int32
		for r := range int32(3000) {
			if r%3 == 0 || r > 2500 {
				gone = append(gone, r)
			}
		}
		if err := ix.Delete(gone, s); err != nil {
			t.Fatal(err)
		}
		if _, err := ix.Insert(context.Background(), y, s); err != nil {
			t.Fatal(err)
		}
		if err := ix.verify(); err != nil {
			t.Fatal(err)
		}
		b := saved(t, ix)
		if want == nil {
			want = b
		}
		if !bytes.Equal(b, want) {
			t.Errorf("another index with %d threads", threads)
		}
	}
}

func build(t testing.TB, x vec.Matrix[float32], set Settings, s knn.Settings) *Index {
	t.Helper()
	ix, err := Build(context.Background(), x, set, s)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}
