package clusters

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/sparse/graph"
)

// randomTree returns a spanning tree of n points in random order, with lengths from few values.
func randomTree(r *rand.Rand, slots []int32, values int) []graph.Edge {
	var tree []graph.Edge
	for i := 1; i < len(slots); i++ {
		a, b := slots[i], slots[r.IntN(i)]
		tree = append(tree, graph.Edge{I: min(a, b), J: max(a, b), Dist2: float64(1 + r.IntN(values))})
	}
	return tree
}

// longest returns the longest edge on the path between two slots of a tree, by walking it.
func longest(tree []graph.Edge, from, to int32) float64 {
	most := map[int32]float64{from: 0}
	for range tree {
		for _, e := range tree {
			a, aKnown := most[e.I]
			b, bKnown := most[e.J]
			switch {
			case aKnown && !bKnown:
				most[e.J] = max(a, e.Dist2)
			case bKnown && !aKnown:
				most[e.I] = max(b, e.Dist2)
			}
		}
	}
	return most[to]
}

// TestLevels: Kruskal's tree is the minimum spanning tree, and paths report their longest edges.
// The components of a place at a level follow from the heights between places.
func TestLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		v := &levels{}
		for range 3 { // the memory is reused
			n := rapid.IntRange(1, 20).Draw(t, "n")
			slots := make([]int32, n)
			for i := range slots {
				slots[i] = int32(i + r.IntN(3)*(i/4))
				if i > 0 {
					slots[i] = max(slots[i], slots[i-1]+1)
				}
			}
			top := int(slots[n-1]) + 1 + r.IntN(3)
			values := rapid.SampledFrom([]int{2, 5, 1000}).Draw(t, "values")
			tree, more := randomTree(r, slots, values), randomTree(r, slots, values)
			slices.SortFunc(tree, graph.Edge.Compare)
			before := slices.Clone(tree)
			out := slices.Clone(v.kruskal(tree, more, n, top))
			all := append(slices.Clone(tree), more...)
			slices.SortStableFunc(all, shorterFirst)
			var lengths []float64
			forest := graph.NewForest(top)
			for _, e := range all {
				if forest.Union(e.I, e.J) {
					lengths = append(lengths, e.Dist2)
				}
			}
			got := make([]float64, len(out))
			for i, e := range out {
				got[i] = e.Dist2
				if !slices.Contains(all, e) {
					t.Fatalf("%v is in no list", e)
				}
			}
			if !slices.Equal(got, lengths) || !slices.Equal(tree, before) {
				t.Fatalf("a tree of %v, want %v", got, lengths)
			}
			if order := slices.Sorted(slices.Values(v.order)); !slices.Equal(order, slots) {
				t.Fatalf("the order is %v of %v", v.order, slots)
			}
			for k, slot := range v.order {
				if v.place[slot] != int32(k) {
					t.Fatalf("slot %d is at %d, its place is %d", slot, k, v.place[slot])
				}
			}
			checkPlaces(t, v, out, n)
		}
	})
}

// checkPlaces compares paths and components with those of the tree.
func checkPlaces(t *rapid.T, v *levels, tree []graph.Edge, n int) {
	if !math.IsInf(v.height(0), 1) || !math.IsInf(v.height(n), 1) {
		t.Fatalf("the heights at the ends are %v and %v", v.height(0), v.height(n))
	}
	for a, i := range v.order {
		for b, j := range v.order {
			want := longest(tree, i, j)
			if got := v.pathMost(i, j); got != want {
				t.Fatalf("the longest edge from %d to %d is %v, want %v", i, j, got, want)
			}
			if b == a+1 && v.height(b) != want {
				t.Fatalf("between places %d and %d is %v, want %v", a, b, v.height(b), want)
			}
		}
		for _, level := range []float64{0, 0.5, 1, 2, 3, 500, 1001} {
			from, to, upFrom, upTo := a, a+1, a, a+1
			for ; from > 0 && v.height(from) < level; from-- {
			}
			for ; to < n && v.height(to) < level; to++ {
			}
			for ; upFrom > 0 && v.height(upFrom) <= level; upFrom-- {
			}
			for ; upTo < n && v.height(upTo) <= level; upTo++ {
			}
			if f, e := v.below(a, level); f != from || e != to || v.after(a, level) != to {
				t.Fatalf("below %v place %d is in %d..%d, want %d..%d", level, a, f, e, from, to)
			}
			if first := v.order[from]; first != slices.Min(v.order[from:to]) {
				t.Fatalf("below %v places %d..%d begin with slot %d of %v", level, from, to, first, v.order[from:to])
			}
			if f, e := v.upTo(a, level); f != upFrom || e != upTo {
				t.Fatalf("up to %v place %d is in %d..%d, want %d..%d", level, a, f, e, upFrom, upTo)
			}
		}
	}
}

// TestKruskalMemory: a tree is valid until the call after the next, which reuses its memory. Of
// equally long edges, those of the previous tree stay.
func TestKruskalMemory(t *testing.T) {
	v := &levels{}
	tree := []graph.Edge{{I: 0, J: 1, Dist2: 1}, {I: 1, J: 2, Dist2: 1}}
	fresh := []graph.Edge{{I: 0, J: 2, Dist2: 1}}
	first := v.kruskal(tree, fresh, 3, 3)
	if !slices.Equal(first, tree) {
		t.Errorf("the tree becomes %v", first)
	}
	second := v.kruskal(first, nil, 3, 3)
	third := v.kruskal(second, nil, 3, 3)
	if !slices.Equal(third, tree) || !slices.Equal(second, tree) || &first[0] == &second[0] || &first[0] != &third[0] {
		t.Errorf("trees %v and %v, in memory of the one before: %v, before that: %v", second, third, &first[0] == &second[0], &first[0] == &third[0])
	}
}

// TestKruskalNeedsAllPoints: edges that do not connect all points are a programming error.
func TestKruskalNeedsAllPoints(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	(&levels{}).kruskal([]graph.Edge{{I: 0, J: 1, Dist2: 1}}, nil, 3, 3)
}
