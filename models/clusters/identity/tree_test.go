package identity_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models/clusters"
	"unfold/models/clusters/identity"
	"unfold/models/snapshot"
)

// herd is a changing set of rows in groups, some of them equal.
type herd struct {
	r      *rand.Rand
	x      vec.Matrix[float32]
	copies []uint32
	stayed []int32
	alone  bool // duplicates neither appear nor disappear
}

func newHerd(seed uint64, n, dim int) *herd {
	h := &herd{r: rand.New(rand.NewPCG(seed, 11)), x: vec.New[float32](n, dim), copies: make([]uint32, n), stayed: slices.Repeat([]int32{-1}, n)}
	for i := range n {
		h.fill(h.x.Row(i))
		h.copies[i] = 1 + uint32(h.r.IntN(8)/6*h.r.IntN(4))
	}
	return h
}

func (h *herd) fill(row []float32) {
	c := float32(10 * h.r.IntN(3))
	for k := range row {
		row[k] = c + float32(h.r.NormFloat64())
		if h.r.IntN(4) == 0 {
			row[k] = c + float32(h.r.IntN(3)) // equal distances, equal rows
		}
	}
}

// next removes a share of the rows in random order, adds others, and changes the number of copies
// of some.
func (h *herd) next(share float64) {
	was, copies := h.x, h.copies
	h.x, h.copies, h.stayed = vec.Matrix[float32]{Cols: was.Cols}, nil, nil
	for _, i := range h.r.Perm(was.Rows) {
		row, from := slices.Clone(was.Row(i)), int32(i)
		if h.r.Float64() < share {
			h.fill(row)
			from = -1
		}
		n := copies[i]
		if !h.alone && h.r.IntN(9) == 0 {
			n = 1 + uint32(h.r.IntN(3))
		}
		h.x.Data, h.x.Rows = append(h.x.Data, row...), h.x.Rows+1
		h.copies, h.stayed = append(h.copies, n), append(h.stayed, from)
	}
}

// check compares the clusters of a tree with those that Find finds.
func (h *herd) check(t rapid.TB, got *clusters.Clusters, of []int32, set clusters.Settings) {
	t.Helper()
	var all []int32
	for i, n := range h.copies {
		for range n {
			all = append(all, int32(i))
		}
	}
	if !slices.Equal(of, all) {
		t.Fatalf("the points are of rows %v, want %v", of, all)
	}
	want, err := clusters.Find(context.Background(), vec.Take(h.x, all), set)
	if err != nil {
		t.Fatal(err)
	}
	for name, same := range map[string]bool{
		"core distances": slices.Equal(got.Core2, want.Core2), "labels": slices.Equal(got.Label, want.Label), "probabilities": slices.Equal(got.Probability, want.Probability),
		"outlier scores": slices.Equal(got.Outlier, want.Outlier), "sizes": slices.Equal(got.Size, want.Size),
	} {
		if !same {
			t.Fatalf("other %s than Find has:\n%v\n%v", name, got.Label, want.Label)
		}
	}
	for i := 1; i < len(of); i++ {
		if of[i] == of[i-1] && got.Label[i] != got.Label[i-1] {
			t.Fatalf("copies of row %d are in clusters %d and %d", of[i], got.Label[i], got.Label[i-1])
		}
	}
}

// TestTree: after any changes the clusters equal those that Find finds for the current rows. This
// also holds after an interrupted change, and from an empty tree.
func TestTree(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		h := newHerd(rapid.Uint64().Draw(r, "seed"), rapid.IntRange(4, 120).Draw(r, "rows"), rapid.SampledFrom([]int{1, 2, 3, 20}).Draw(r, "columns"))
		set := clusters.Settings{MinSize: rapid.IntRange(2, 12).Draw(r, "min size"), MinSamples: rapid.IntRange(1, 12).Draw(r, "m"), Threads: rapid.IntRange(1, 2).Draw(r, "threads")}
		tree, err := identity.NewTree(set)
		if err != nil {
			r.Fatal(err)
		}
		for range rapid.IntRange(1, 6).Draw(r, "maps") {
			if rapid.IntRange(0, 4).Draw(r, "breaks off") == 0 {
				ended, cancel := context.WithCancel(context.Background())
				cancel()
				if _, _, err := tree.Follow(ended, h.x, h.copies, h.stayed); err != nil && !errors.Is(err, context.Canceled) {
					r.Fatal(err)
				}
			}
			c, of, err := tree.Follow(context.Background(), h.x, h.copies, h.stayed)
			if err != nil {
				r.Fatal(err)
			}
			h.check(r, c, of, set)
			if tree.Len() != len(of) || tree.Bytes() == 0 {
				r.Fatalf("%d points in %d bytes, want %d", tree.Len(), tree.Bytes(), len(of))
			}
			h.next(rapid.SampledFrom([]float64{0, .05, .5, 1}).Draw(r, "share"))
		}
	})
}

// TestRowsAreKept: clusters of rows keep their ids from map to map, also from a snapshot, and
// predict for rows.
func TestRowsAreKept(t *testing.T) {
	const dim = 3
	h := newHerd(3, 300, dim)
	set := clusters.Settings{MinSize: 20, MinSamples: 5}
	tree, err := identity.NewTree(set)
	if err != nil {
		t.Fatal(err)
	}
	var g *identity.Groups
	for k := range 8 {
		c, of, err := tree.Follow(t.Context(), h.x, h.copies, h.stayed)
		if err != nil {
			t.Fatal(err)
		}
		if g, _, err = identity.NameRows(c, h.x, of, g, h.stayed, set, identity.Settings{}); err != nil {
			t.Fatal(err)
		}
		if g.Memory.Rows() != h.x.Rows || g.Points() != len(of) || !g.OfRows() || len(g.ID) != 3 || g.State.Last != 3 {
			t.Fatalf("map %d: %d rows, %d points, ids %v", k, g.Memory.Rows(), g.Points(), g.ID)
		}
		s := &snapshot.Snapshot{Mu: vec.New[float64](h.x.Rows, 2), Reference: h.x}
		if s.Parts, err = g.Parts(); err != nil {
			t.Fatal(err)
		}
		again, err := identity.Open(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		one, err := g.Predict(t.Context(), h.x)
		if err != nil {
			t.Fatal(err)
		}
		two, err := again.Predict(t.Context(), h.x)
		if err != nil || !reflect.DeepEqual(one, two) {
			t.Fatalf("from a snapshot it predicts otherwise: %v", err)
		}
		right := 0
		for i, id := range one.ID {
			if id == g.Point(i) {
				right++
			}
		}
		if right < h.x.Rows*95/100 {
			t.Errorf("%d of %d rows are in the clusters that they are in", right, h.x.Rows)
		}
		for i, p := range s.Parts {
			if p.Name == "clusters.rows" {
				p.Data.([]uint32)[0] = 1 << 20
				if _, err := identity.Open(s, 1); err == nil {
					t.Error("a copy of a row that is not there")
				}
				s.Parts = slices.Delete(s.Parts, i, i+1)
				if _, err := identity.Open(s, 1); err == nil {
					t.Error("more points than the map has")
				}
				break
			}
		}
		g = again
		h.next(.2)
	}
}

// TestTreeBytes: the memory of a tree is within the computed bound.
func TestTreeBytes(t *testing.T) {
	for _, dim := range []int{2, 10, 50} {
		h := newHerd(9, 2000, dim)
		set := clusters.Settings{MinSize: 50}
		tree, err := identity.NewTree(set)
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			if _, _, err := tree.Follow(t.Context(), h.x, h.copies, h.stayed); err != nil {
				t.Fatal(err)
			}
			if held, most := tree.Bytes(), identity.TreeBytes(tree.Len(), dim, set); held > most || held < most/10 {
				t.Errorf("%d points of %d values hold %d bytes, said were at most %d", tree.Len(), dim, held, most)
			}
			h.next(.1)
		}
	}
}

// BenchmarkTree updates the clusters of rows when a hundredth of them is replaced. For comparison
// it finds all clusters again.
func BenchmarkTree(b *testing.B) {
	set := clusters.Settings{}
	start := func() *herd {
		h := newHerd(10, 20_000, 50)
		h.copies, h.alone = slices.Repeat([]uint32{1}, h.x.Rows), true
		return h
	}
	b.Run("kept", func(b *testing.B) {
		h := start()
		tree, err := identity.NewTree(set)
		if err != nil {
			b.Fatal(err)
		}
		follow := func() {
			if _, _, err := tree.Follow(b.Context(), h.x, h.copies, h.stayed); err != nil {
				b.Fatal(err)
			}
		}
		follow()
		for b.Loop() {
			h.next(.01)
			follow()
		}
	})
	b.Run("found again", func(b *testing.B) {
		h := start()
		for b.Loop() {
			if _, err := clusters.Find(b.Context(), h.x, set); err != nil {
				b.Fatal(err)
			}
			h.next(.01)
		}
	})
}
