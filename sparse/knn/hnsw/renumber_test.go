package hnsw

import (
	"bytes"
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

// members returns the numbers of the rows of an index.
func members(ix *Index) []int32 {
	var out []int32
	for r := range int32(len(ix.level)) {
		if ix.has(r) {
			out = append(out, r)
		}
	}
	return out
}

// renumbered is Renumber, implemented row by row into a new index.
func renumbered(ix *Index, order []int32) *Index {
	number := make([]int32, len(ix.level))
	for i, r := range order {
		number[r] = int32(i)
	}
	n, width := len(order), ix.width(0)
	c := &Index{
		set: ix.set, dim: ix.dim, stride: ix.stride, live: ix.live, drawn: ix.drawn, lastTwin: map[int32]int32{},
		rows: make([]float32, n*ix.stride), level: make([]uint8, n), base: make([]int32, n*width), kids: make([]uint8, n),
		tower: make([]int32, n), roots: make([]int32, len(ix.roots)),
	}
	rename := func(to, from []int32) {
		for p, r := range from {
			if to[p] = r; r >= 0 {
				to[p] = number[r]
			}
		}
	}
	rename(c.roots, ix.roots)
	for i, r := range order {
		copy(c.vector(int32(i)), ix.vector(r))
		c.level[i], c.kids[i], c.tower[i] = ix.level[r], ix.kids[r], none
		rename(c.base[i*width:(i+1)*width], ix.links(0, r))
		if l := int(ix.level[r]); l > 0 && l < mostLevels {
			c.raise(int32(i), l)
			for layer := 1; layer <= l; layer++ {
				rename(c.links(layer, int32(i)), ix.links(layer, r))
				*c.children(layer, int32(i)) = *ix.children(layer, r)
			}
		}
	}
	for first := range ix.lastTwin {
		chain := ix.twins(first, ix.live, nil)
		for p, t := range chain {
			chain[p] = number[t]
		}
		c.rechain(number[first], chain)
	}
	return c
}

// same compares all that an index keeps.
func same(t *testing.T, name string, a, b *Index) {
	t.Helper()
	if !slices.Equal(a.rows, b.rows) || !slices.Equal(a.level, b.level) || !slices.Equal(a.base, b.base) || !slices.Equal(a.kids, b.kids) ||
		!slices.Equal(a.tower, b.tower) || !slices.Equal(a.upper, b.upper) || !slices.Equal(a.upperKids, b.upperKids) ||
		!slices.Equal(a.roots, b.roots) || !slices.Equal(a.vacant, b.vacant) || !maps.Equal(a.lastTwin, b.lastTwin) ||
		len(a.vacantTowers)+len(b.vacantTowers) != 0 || a.live != b.live || a.drawn != b.drawn {
		t.Errorf("%s: the indexes differ", name)
	}
}

// A renumbered index equals one made row by row: valid, dense, and with the same search results.
// With all candidates a search gives the same distances.
func TestRenumber(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, kind := range []string{"gauss", "duplicates"} {
		ix := build(t, knntest.Points[float32](kind, 300, 4, 2), Settings{M: 4, EfConstruction: 20}, knn.Settings{})
		var gone []int32
		for _, i := range r.Perm(300)[:90] {
			gone = append(gone, int32(i))
		}
		if err := ix.Delete(gone, knn.Settings{}); err != nil {
			t.Fatal(err)
		}
		order := members(ix)
		again := ix.Clone(0)
		if err := again.Renumber(order); err != nil {
			t.Fatal(err)
		}
		same(t, kind+", in their order", again, renumbered(ix, order))
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		named := slices.Clone(order)
		again = ix.Clone(0)
		if err := again.Renumber(order); err != nil {
			t.Fatal(err)
		}
		same(t, kind, again, renumbered(ix, order))
		if err := again.verify(); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if !slices.Equal(named, order) {
			t.Errorf("%s: the order itself has changed", kind)
		}
		x := vec.New[float32](len(order), 4)
		for i, o := range order {
			copy(x.Row(i), ix.Row(o))
		}
		if again.Len() != len(order) || !holds(again, x) || len(again.vacant) != 0 {
			t.Fatalf("%s: %d rows of %d", kind, again.Len(), len(order))
		}
		q := knntest.Points[float32]("gauss", 50, 4, 9)
		want, err := ix.SearchEf(context.Background(), q, 8, 300, knn.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := again.SearchEf(context.Background(), q, 8, 300, knn.Settings{})
		if err != nil || !slices.Equal(got.Dist2, want.Dist2) {
			t.Errorf("%s: other distances, error %v", kind, err)
		}
		if kind == "gauss" { // no two distances are equal
			for p, i := range got.Index {
				if order[i] != want.Index[p] {
					t.Fatalf("place %d: row %d was %d, want %d", p, i, order[i], want.Index[p])
				}
			}
		}
		// The renumbered index supports further changes.
		if _, err := again.Insert(context.Background(), q, knn.Settings{}); err != nil {
			t.Fatal(err)
		}
		if err := again.Delete(members(again)[:100], knn.Settings{}); err != nil {
			t.Fatal(err)
		}
		if err := again.verify(); err != nil {
			t.Errorf("%s: after more changes: %v", kind, err)
		}
	}
}

// A clone has the same bytes, and changes to it do not affect the index.
func TestClone(t *testing.T) {
	ix := sample(t)
	before := saved(t, ix)
	c := ix.Clone(40 - len(ix.vacant))
	if !bytes.Equal(saved(t, c), before) {
		t.Error("the copy differs")
	}
	rows := &c.rows[0]
	if _, err := c.Insert(context.Background(), knntest.Points[float32]("gauss", 40, 3, 4), knn.Settings{}); err != nil {
		t.Fatal(err)
	}
	if rows != &c.rows[0] {
		t.Error("there was no room for the rows that were announced")
	}
	if err := c.Delete(members(c)[3:30], knn.Settings{}); err != nil {
		t.Fatal(err)
	}
	if err := c.verify(); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(saved(t, ix), before) {
		t.Error("the index has changed with its copy")
	}
}

func TestRenumberRefuses(t *testing.T) {
	ix := sample(t)
	before, all := saved(t, ix), members(ix)
	vacant := slices.Clone(all)
	vacant[3] = ix.vacant[0]
	twice := slices.Clone(all)
	twice[3] = twice[4]
	for name, order := range map[string][]int32{"few": all[1:], "vacant": vacant, "twice": twice, "beyond": append([]int32{-1}, all[1:]...)} {
		if err := ix.Renumber(order); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if !bytes.Equal(saved(t, ix), before) {
		t.Error("the index has changed")
	}
}

// BenchmarkRenumber measures the index work of a refresh: copy an index, delete rows and renumber
// it. "two copies" is the row-by-row alternative.
func BenchmarkRenumber(b *testing.B) {
	x := clouds(20000)
	ix, err := Build(context.Background(), x, Settings{}, knn.Settings{})
	if err != nil {
		b.Fatal(err)
	}
	var gone []int32
	for r := range int32(x.Rows) {
		if r%100 == 7 {
			gone = append(gone, r)
		}
	}
	if err := ix.Delete(gone, knn.Settings{}); err != nil {
		b.Fatal(err)
	}
	dense := members(ix)
	reused := slices.Clone(dense) // new rows at the numbers of others that went
	for _, p := range gone[:len(gone)-2] {
		last := len(reused) - 1
		reused = slices.Insert(reused[:last], int(p), reused[last])
	}
	for name, order := range map[string][]int32{"closed gaps": dense, "filled gaps": reused} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := ix.Clone(0).Renumber(order); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+", two copies", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				renumbered(ix.Clone(0), order)
			}
		})
	}
}
