package hnsw

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
	"unfold/sparse/vec"
)

// members are the numbers of the rows of an index.
func members(ix *Index) []int32 {
	var out []int32
	for r := range int32(len(ix.level)) {
		if ix.has(r) {
			out = append(out, r)
		}
	}
	return out
}

// A renumbered index is sound, dense, and finds the same rows; a search with all
// candidates the same at every distance.
func TestRenumbered(t *testing.T) {
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
		before := saved(t, ix)
		order := members(ix)
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		again, err := ix.Renumbered(order)
		if err != nil {
			t.Fatal(err)
		}
		if err := again.verify(); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if !bytes.Equal(before, saved(t, ix)) {
			t.Errorf("%s: the index itself has changed", kind)
		}
		x := vec.New[float32](len(order), 4)
		for i, o := range order {
			copy(x.Row(i), ix.Row(o))
		}
		if again.Len() != len(order) || !again.Holds(x) || len(again.vacant) != 0 {
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
		// It goes on as any index.
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

// A clone has the same bytes, and nothing that is done to it is seen in the index.
func TestClone(t *testing.T) {
	ix := sample(t)
	before := saved(t, ix)
	c := ix.Clone()
	if !bytes.Equal(saved(t, c), before) {
		t.Error("the copy differs")
	}
	if _, err := c.Insert(context.Background(), knntest.Points[float32]("gauss", 40, 3, 4), knn.Settings{}); err != nil {
		t.Fatal(err)
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

func TestRenumberedRefuses(t *testing.T) {
	ix := sample(t)
	all := members(ix)
	vacant := slices.Clone(all)
	vacant[3] = ix.vacant[0]
	twice := slices.Clone(all)
	twice[3] = twice[4]
	for name, order := range map[string][]int32{"few": all[1:], "vacant": vacant, "twice": twice, "beyond": append([]int32{-1}, all[1:]...)} {
		if _, err := ix.Renumbered(order); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
