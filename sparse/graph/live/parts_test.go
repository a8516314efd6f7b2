package live

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/sparse/graph"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

// batch returns the lists of the points by rank, short ones as they are, in a form that
// the batch functions take: nil if there are no two points.
func batch(t fataler, g *Graph, p points) (*knn.Neighbors, []int32) {
	t.Helper()
	x, slots := p.matrix(g.Dim())
	k := min(g.Settings().Neighbors, len(slots)-1)
	if k < 1 {
		return nil, slots
	}
	nb, err := knn.Graph(context.Background(), x, k, knn.Settings{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return nb, slots
}

func checkComponents(t fataler, g *Graph, p points) {
	t.Helper()
	nb, slots := batch(t, g, p)
	if nb == nil {
		if g.Components() != len(slots) || len(slots) == 1 && g.Component(slots[0]) != slots[0] {
			t.Fatalf("%d components of %d points", g.Components(), len(slots))
		}
		return
	}
	label, size := graph.Label(nb)
	if g.Components() != len(size) {
		t.Fatalf("%d components, want %d", g.Components(), len(size))
	}
	for r, slot := range slots {
		if want := slots[slices.Index(label, label[r])]; g.Component(slot) != want {
			t.Fatalf("slot %d is in component %d, want %d", slot, g.Component(slot), want)
		}
	}
}

func checkTree(t fataler, g *Graph, p points) {
	t.Helper()
	var want []graph.Edge
	if nb, slots := batch(t, g, p); nb != nil {
		edges, _ := graph.Symmetrize(nb)
		for _, e := range graph.SpanningTree(nb.N, edges) {
			want = append(want, graph.Edge{I: slots[edges[e].I], J: slots[edges[e].J], Dist2: edges[e].Dist2})
		}
	}
	slices.SortFunc(want, graph.Edge.Compare)
	if !slices.Equal(g.Tree(), want) {
		t.Fatalf("the tree is\n%v, want\n%v", g.Tree(), want)
	}
}

func checkReach(t fataler, g *Graph, p points) {
	t.Helper()
	nb, slots := batch(t, g, p)
	if nb == nil {
		return
	}
	for e, want := range graph.MutualReach(nb, g.Settings().Core, 1) {
		if got := g.Mutual(slots[e/nb.K], e%nb.K); got != want {
			t.Fatalf("slot %d, neighbour %d is mutual: %v, want %v", slots[e/nb.K], e%nb.K, got, want)
		}
	}
}

// checkSimilar compares E, and all of Compact, with graph.Build.
func checkSimilar(t fataler, g *Graph, p points) {
	t.Helper()
	ctx := context.Background()
	x, slots := p.matrix(g.Dim())
	s := g.Settings()
	for _, components := range []graph.Components{graph.Connect, graph.Largest} {
		got, err := g.Graph(ctx, components)
		if len(p) <= s.Neighbors {
			if err == nil {
				t.Fatalf("a graph of %d neighbours of %d points", s.Neighbors, len(p))
			}
			return
		}
		if err != nil {
			t.Fatalf("%v", err)
		}
		nb, err := knn.Graph(ctx, x, s.Neighbors, knn.Settings{})
		if err != nil {
			t.Fatalf("%v", err)
		}
		want, err := graph.Build(ctx, x, nb, graph.Settings{Core: s.Core, Components: components})
		if err != nil {
			t.Fatalf("%v", err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%v: E is\n%v, want\n%v", components, got, want)
		}
		c, err := g.Compact()
		if err != nil {
			t.Fatalf("%v", err)
		}
		label, size := graph.Label(nb)
		mutual := graph.MutualReach(nb, s.Core, 1)
		lists, err := knn.Graph(ctx, x, min(s.Lists, x.Rows-1), knn.Settings{})
		if err != nil {
			t.Fatalf("%v", err)
		}
		if !reflect.DeepEqual(c, &Compact{Slots: slots, X: x, Neighbors: lists, Label: label, Size: size, Tree: c.Tree, Mutual: mutual}) {
			t.Fatalf("compact is %+v", c)
		}
		if components == graph.Connect {
			checkEntries(t, g, want, slots, nb)
		}
	}
}

// checkEntries compares Similar with E less its bridges.
func checkEntries(t fataler, g *Graph, e *graph.Graph, slots []int32, nb *knn.Neighbors) {
	t.Helper()
	for i := range nb.N {
		index, _ := nb.Row(i)
		for p, j := range index {
			if got, want := g.Similar(slots[i], p), e.Has(int32(i), j); got != want {
				t.Fatalf("slot %d, neighbour %d is similar: %v, want %v", slots[i], p, got, want)
			}
		}
	}
}

func TestIncrementalComponents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walk(t, Components, func(g *Graph, p points) { checkComponents(t, g, p) })
	})
}

func TestIncrementalTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walk(t, Tree, func(g *Graph, p points) {
			checkTree(t, g, p)
			checkComponents(t, g, p)
		})
	})
}

func TestIncrementalReach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walk(t, Reach, func(g *Graph, p points) { checkReach(t, g, p) })
	})
}

func TestIncrementalSimilar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walk(t, All, func(g *Graph, p points) {
			checkLists(t, g, p)
			checkTree(t, g, p)
			checkReach(t, g, p)
			checkSimilar(t, g, p)
		})
	})
}

// Replacement edges and new edges in the same change: a new edge may displace an edge of a tree
// that an old edge has just joined. That is rare, so the test draws many small graphs.
func TestIncrementalTreeOfMany(t *testing.T) {
	const dim, n = 4, 22
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 2))
		g, p := newGraph(t, dim, Settings{Neighbors: 1 + int(seed%3), Spare: int(seed%5) - 1, Parts: Tree, Threads: 1}), points{}
		insert(t, g, p, knntest.Points[float32]("gauss", n, dim, seed))
		for range 3 {
			slots := g.Slots(nil)
			rng.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
			remove(t, g, p, slots[:3])
			checkTree(t, g, p)
		}
	}
}
