package graph

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/sparse"
	"unfold/sparse/knn"
)

// tiedPaths draws a joined graph with many ways of one length.
func tiedPaths(t *rapid.T, n int) *Paths {
	var i, j []int32
	var w []float64
	for a := 1; a < n; a++ {
		for range rapid.IntRange(1, 3).Draw(t, "edges") {
			b := rapid.IntRange(0, a-1).Draw(t, "to")
			i, j, w = append(i, int32(a)), append(j, int32(b)), append(w, float64(rapid.IntRange(1, 3).Draw(t, "length")))
		}
	}
	return PathsOf(Lengths(sparse.FromTriplets(n, n, i, j, w), Distance))
}

// The nearest source and the nearest point of another part are those of searches from every point.
func TestNearestAlongPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 40).Draw(t, "n")
		p, f := tiedPaths(t, n), &Frontier{}
		far := make([][]float64, n)
		for i := range far {
			far[i] = make([]float64, n)
			p.From(i, far[i], f)
		}
		sources := rapid.SliceOfNDistinct(rapid.Int32Range(0, int32(n-1)), 1, n, rapid.ID[int32]).Draw(t, "sources")
		nodes := rapid.SliceOfNDistinct(rapid.Int32Range(0, int32(n-1)), 1, n, rapid.ID[int32]).Draw(t, "nodes")
		of, dist2, err := p.NearestOf(t.Context(), nodes, sources)
		if err != nil {
			t.Fatal(err)
		}
		for u, i := range nodes {
			best := 0
			for s, j := range sources {
				if far[j][i] < far[sources[best]][i] {
					best = s
				}
			}
			if d := far[sources[best]][i]; of[u] != int32(best) || dist2[u] != d*d {
				t.Fatalf("node %d is nearest to source %d at %v, want %d at %v", i, of[u], math.Sqrt(dist2[u]), best, d)
			}
		}
		label := make([]int32, n)
		for i := range label {
			label[i] = int32(rapid.IntRange(0, 2).Draw(t, "label"))
		}
		label[0], label[1] = 0, 1
		lists, err := p.nearestUnlike(t.Context(), nodes, label, 2)
		if err != nil {
			t.Fatal(err)
		}
		for u, i := range nodes {
			best := -1
			for j := range n {
				if label[j] != label[i] && (best < 0 || far[i][j] < far[i][best]) {
					best = j
				}
			}
			if lists.Index[u] != int32(best) || lists.Dist2[u] != far[i][best]*far[i][best] {
				t.Fatalf("node %d is nearest to %d of another part, want %d", i, lists.Index[u], best)
			}
		}
	})
}

// Searches that cannot end well say why.
func TestNearestAlongPathsErrors(t *testing.T) {
	p := PathsOf(Lengths(sparse.FromTriplets(4, 4, []int32{0, 2}, []int32{1, 3}, []float64{1, 1}), Distance))
	if _, _, err := p.NearestOf(t.Context(), []int32{3}, []int32{0}); err == nil {
		t.Error("a node that no path leads to has a source")
	}
	if _, err := p.nearestUnlike(t.Context(), []int32{0}, []int32{0, 0, 1, 1}, 1); err == nil {
		t.Error("a part that no path leaves has a neighbour")
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, _, err := p.NearestOf(ctx, []int32{1}, []int32{0}); err == nil {
		t.Error("a search goes on after it was stopped")
	}
}

// A point keeps its first neighbour if T and mutual reach keep none of its list. Nothing is added
// if the lists contain the nearest.
func TestPointsKeepTheirNearest(t *testing.T) {
	x := vec.Of(5, 1, []float64{0, 1, 2, 3, 4})
	// Point 2 misses 1 and 3, which list it.
	nb := &knn.Neighbors{N: 5, K: 2, Index: []int32{1, 2, 0, 2, 0, 4, 4, 2, 3, 2}, Dist2: []float64{1, 4, 1, 1, 4, 4, 1, 1, 1, 4}}
	g, err := Build(t.Context(), x, nb, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range g.N {
		if to, _ := g.Row(i); len(to) == 0 {
			t.Errorf("point %d has no edge", i)
		}
	}
	keep := []bool{true, false, false, false, false, true}
	if keepNearest(keep, 2); !keep[2] || keep[1] || keep[3] || keep[4] {
		t.Errorf("kept %v", keep)
	}
}
