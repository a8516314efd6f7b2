package drift

import (
	"context"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/sparse/distance"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// batch counts the graphs of the monitor's points from scratch: lists by an exact search, the tree
// by Kruskal's algorithm. A cluster that is not negative restricts both to its points.
func batch(t *rapid.T, m *Monitor, cluster int32) (tree, lists Counts) {
	slots := m.graph.Slots(nil)
	x := vec.New[float32](len(slots), m.reference.x.Cols)
	for r, s := range slots {
		copy(x.Row(r), m.graph.Row(s))
	}
	nb, err := knn.Graph(context.Background(), x, m.set.Neighbors, knn.Settings{Distance: m.set.Distance})
	if err != nil {
		t.Fatal(err)
	}
	var directed []graph.Edge
	for i := range nb.N {
		index, _ := nb.Row(i)
		for _, j := range index {
			directed = append(directed, graph.Edge{I: int32(i), J: j})
		}
	}
	edges, _ := graph.Symmetrize(nb)
	var spanning []graph.Edge
	for _, e := range graph.SpanningTree(nb.N, edges) {
		spanning = append(spanning, edges[e])
	}
	return within(m, spanning, cluster), within(m, directed, cluster)
}

// within counts the edges with both ends in a cluster, or all edges if the cluster is negative.
func within(m *Monitor, edges []graph.Edge, cluster int32) Counts {
	if cluster < 0 {
		return countsOf(len(m.newest), edges, m.newest)
	}
	rank, newest := map[int32]int32{}, []bool(nil)
	for s, c := range m.cluster {
		if c == cluster {
			rank[int32(s)] = int32(len(newest))
			newest = append(newest, m.newest[s])
		}
	}
	var inside []graph.Edge
	for _, e := range edges {
		i, first := rank[e.I]
		j, second := rank[e.J]
		if first && second {
			inside = append(inside, graph.Edge{I: i, J: j})
		}
	}
	return countsOf(len(newest), inside, newest)
}

// For any events in any batches, the updated counts equal a recount, for all points and within each
// cluster. Rows lie on a coarse grid, so that many distances tie and many rows are equal.
func TestKeptIsTheBatchs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		dim, grid, clusters := rapid.IntRange(1, 4).Draw(t, "dim"), rapid.IntRange(2, 40).Draw(t, "grid"), int32(rapid.IntRange(1, 4).Draw(t, "clusters"))
		d := rapid.SampledFrom([]distance.Distance{distance.Euclidean, distance.Manhattan, distance.Jaccard}).Draw(t, "distance")
		if d.Bits() {
			grid = 2
		}
		rows := func(n int) Rows {
			out := Rows{X: vec.New[float32](n, dim), Cluster: make([]int32, n)}
			for i := range out.X.Data {
				out.X.Data[i] = float32(r.IntN(grid))
			}
			for i := range out.Cluster {
				out.Cluster[i] = r.Int32N(clusters+1) - 1
			}
			return out
		}
		set := Settings{Distance: d, Window: 50, Neighbors: rapid.IntRange(1, 12).Draw(t, "neighbors"), Step: rapid.IntRange(1, 50).Draw(t, "step"), Seed: r.Uint64()}
		m, err := New(rows(rapid.IntRange(500, 560).Draw(t, "reference")), set)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 4).Draw(t, "calls") {
			looks, err := m.Add(context.Background(), rows(rapid.IntRange(0, 80).Draw(t, "events")))
			if err != nil {
				t.Fatal(err)
			}
			if m.graph == nil {
				if len(looks) > 0 {
					t.Fatal("a look before the window is full")
				}
				continue
			}
			tree, lists := batch(t, m, -1)
			if m.kept.tree.all != tree || m.kept.lists.all != lists {
				t.Fatalf("kept %+v and %+v, a batch has %+v and %+v", m.kept.tree.all, m.kept.lists.all, tree, lists)
			}
			if len(looks) > 0 {
				if l := looks[len(looks)-1]; l.Tree != tree.Test() || l.Neighbors != lists.Test() {
					t.Fatalf("the look has %+v, the batch %+v and %+v", l, tree.Test(), lists.Test())
				}
			}
			for _, c := range m.Clusters() {
				tree, lists := batch(t, m, c.Label)
				if c.Tree != tree.Test() || c.Neighbors != lists.Test() || c.Reference != tree.Reference || c.Newest != tree.Newest {
					t.Fatalf("cluster %+v, a batch has %+v and %+v", c, tree, lists)
				}
			}
		}
	})
}

// The tree of the lists differs from the minimum spanning tree of all pairs in few edges, for few
// and for many dimensions. With lists of all other points it equals that tree.
func TestTreeIsNearlyThatOfAllPairs(t *testing.T) {
	for _, dim := range []int{2, 10, 50} {
		for _, k := range []int{10, 549} {
			r := rand.New(rand.NewPCG(uint64(dim), 6))
			m, err := New(Rows{X: normal(r, 5000, dim, 0)}, Settings{Window: 50, Neighbors: min(k, 49)})
			if err != nil {
				t.Fatal(err)
			}
			m.set.Neighbors = k
			if _, err := m.Add(context.Background(), Rows{X: normal(r, 50, dim, 0)}); err != nil {
				t.Fatal(err)
			}
			exact := map[graph.Edge]bool{}
			for _, e := range prim(m) {
				exact[e] = true
			}
			other := 0
			for _, e := range m.graph.Tree() {
				if !exact[e] {
					other++
				}
			}
			if n := len(m.graph.Tree()); n < 540 || other > n/50 || k == 549 && (other > 0 || n != 549) {
				t.Errorf("%d dimensions, lists of %d: %d of %d edges are others", dim, k, other, n)
			}
		}
	}
}

// prim returns the minimum spanning tree of all pairs of a monitor's points, by Prim's algorithm.
func prim(m *Monitor) (edges []graph.Edge) {
	n := len(m.newest)
	best := make([]graph.Edge, n) // best edge to the tree, by point; I is -1 for points in the tree
	for i := range best {
		best[i] = graph.Edge{I: 0, J: int32(i), Dist2: vec.SquaredDistance(m.graph.Row(0), m.graph.Row(int32(i)))}
	}
	best[0].I = -1
	for range n - 1 {
		next := -1
		for i, e := range best {
			if e.I >= 0 && (next < 0 || e.Compare(best[next]) < 0) {
				next = i
			}
		}
		edges = append(edges, best[next])
		best[next].I = -1
		for i, e := range best {
			at := int32(next)
			if to := (graph.Edge{I: min(at, int32(i)), J: max(at, int32(i)), Dist2: vec.SquaredDistance(m.graph.Row(at), m.graph.Row(int32(i)))}); e.I >= 0 && to.Compare(e) < 0 {
				best[i] = to
			}
		}
	}
	return edges
}
