package graph

import (
	"context"
	"math"
	"slices"
	"testing"

	"unfold/internal/testkit/fixtures"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// K, the largest component, T, E and delta^2 agree with every fixture.
func TestFixtures(t *testing.T) {
	fixtures.EachSaul(t, func(t *testing.T, f *fixtures.Saul) {
		x := vec.Of(f.NAll, f.Dim, f.X.Data)
		nb, err := knn.Graph(context.Background(), x, f.K, knn.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range f.Neighbors {
			if got, _ := nb.Row(i); !slices.Equal(got, want) {
				t.Fatalf("neighbours of point %d are %v, want %v", i, got, want)
			}
		}
		g, err := Build(context.Background(), x, nb, Settings{Core: f.Core, Components: Largest})
		if err != nil {
			t.Fatal(err)
		}
		keep := g.Keep
		if keep == nil {
			keep = make([]int32, g.N)
			for i := range keep {
				keep[i] = int32(i)
			}
		}
		if g.N != f.N || !slices.Equal(keep, f.Keep) {
			t.Fatalf("kept %d points %v, want %d points %v", g.N, keep, f.N, f.Keep)
		}
		if (g.Components > 1) != (f.N < f.NAll) {
			t.Fatalf("%d components, %d of %d points kept", g.Components, f.N, f.NAll)
		}
		var tree [][2]int32
		for _, e := range g.Tree {
			tree = append(tree, [2]int32{e.I, e.J})
		}
		if !slices.Equal(tree, f.MST) {
			t.Fatalf("T is %v, want %v", tree, f.MST)
		}
		var edges [][2]int32
		var delta2 []float64
		for i := range g.N {
			to, dist2 := g.Row(i)
			for p, j := range to {
				edges = append(edges, [2]int32{int32(i), j})
				delta2 = append(delta2, dist2[p]/(2*math.Ln2))
			}
		}
		if !slices.Equal(edges, f.E) {
			t.Fatalf("E is %v, want %v", edges, f.E)
		}
		for e, want := range f.Delta2E {
			if math.Abs(delta2[e]-want) > 1e-12*want {
				t.Fatalf("delta^2 of edge %v is %v, want %v", edges[e], delta2[e], want)
			}
		}
	})
}
