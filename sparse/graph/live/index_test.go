package live

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse/gallery"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
	"unfold/sparse/knn/hnsw"
	"unfold/sparse/knn/knntest"
)

func newIndex(t *testing.T, dim int) *hnsw.Index {
	t.Helper()
	ix, err := hnsw.New(dim, hnsw.Settings{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

// With an index the lists are that search's answers, kept by the same rules: nearly
// the true ones after as many points came and went as there are, and all other
// parts are those of the lists.
func TestIncrementalIndex(t *testing.T) {
	const n, dim, batch, most = 3000, 12, 150, .97
	x64, _ := gallery.Blobs(3*n, dim, 20, 3, 1)
	x := vec.Convert[float32](x64)
	g, p := newGraph(t, dim, Settings{Neighbors: 8, Core: 2, Parts: All, Index: newIndex(t, dim)}), points{}
	rng := rand.New(rand.NewPCG(1, 1))
	next := 0
	more := func(rows int) {
		insert(t, g, p, x.Slice(next, next+rows))
		next += rows
	}
	more(n)
	for next+batch <= x.Rows {
		more(batch)
		_, slots := p.matrix(dim)
		rng.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
		remove(t, g, p, slots[:batch])
	}
	c, err := g.Compact()
	if err != nil {
		t.Fatal(err)
	}
	now, slots := p.matrix(dim)
	if !slices.Equal(c.Slots, slots) || !slices.Equal(c.X.Data, now.Data) {
		t.Fatal("the points are others")
	}
	checkOwnLists(t, c)
	similar, err := g.Graph(context.Background(), graph.Connect)
	if err != nil {
		t.Fatal(err)
	}
	if want, err := graph.Build(context.Background(), now, c.Neighbors, graph.Settings{Core: 2, Components: graph.Connect}); err != nil || !reflect.DeepEqual(similar, want) {
		t.Fatalf("E is not that of the lists, %v", err)
	}
	truth, err := knn.Graph(context.Background(), now, 8, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for i := range truth.N {
		_, want := truth.Row(i)
		_, got := c.Neighbors.Row(i)
		for _, d2 := range got {
			if d2 <= want[len(want)-1] {
				found++
			}
		}
	}
	if recall := float64(found) / float64(len(truth.Index)); recall < most {
		t.Fatalf("recall %.4f, want %.2f", recall, most)
	}
}

// checkOwnLists checks that lists are ordered and true as far as they go, and that the
// parts are those of the lists.
func checkOwnLists(t *testing.T, c *Compact) {
	t.Helper()
	nb := c.Neighbors
	for i := range nb.N {
		index, dist2 := nb.Row(i)
		for p, j := range index {
			if int(j) == i || slices.Contains(index[:p], j) || dist2[p] != vec.SquaredDistance(c.X.Row(i), c.X.Row(int(j))) {
				t.Fatalf("list %d is %v %v", i, index, dist2)
			}
			if p > 0 && (dist2[p] < dist2[p-1] || dist2[p] == dist2[p-1] && j < index[p-1]) {
				t.Fatalf("list %d is %v %v", i, index, dist2)
			}
		}
	}
	label, size := graph.Label(nb)
	if !slices.Equal(c.Label, label) || !slices.Equal(c.Size, size) {
		t.Fatal("the components are not those of the lists")
	}
	if !slices.Equal(c.Mutual, graph.MutualReach(nb, 2, 1)) {
		t.Fatal("mutual reachability is not that of the lists")
	}
	edges, _ := graph.Symmetrize(nb)
	var tree []graph.Edge
	for _, e := range graph.SpanningTree(nb.N, edges) {
		tree = append(tree, edges[e])
	}
	graph.SortEdges(tree)
	if !reflect.DeepEqual(c.Tree, tree) {
		t.Fatal("the tree is not that of the lists")
	}
}

// An index that holds no more rows than it is asked for finds all of them, so that
// the lists are exact.
func TestIncrementalIndexOfFew(t *testing.T) {
	g, p := newGraph(t, 3, Settings{Neighbors: 4, Parts: All, Index: newIndex(t, 3)}), points{}
	x := knntest.Points[float32]("duplicates", 17, 3, 1)
	var slots []int32
	for from := 0; from < 17; from += 8 {
		slots = append(slots, insert(t, g, p, x.Slice(from, min(17, from+8)))...)
		checkLists(t, g, p)
		checkSimilar(t, g, p)
	}
	for len(slots) > 0 {
		n := min(4, len(slots))
		remove(t, g, p, slots[:n])
		slots = slots[n:]
		checkLists(t, g, p)
		checkTree(t, g, p)
	}
}

func TestIndexMustFit(t *testing.T) {
	if _, err := New(4, Settings{Index: newIndex(t, 3)}); err == nil {
		t.Fatal("an index of another dimension is taken")
	}
	ix := newIndex(t, 3)
	if _, err := ix.Insert(context.Background(), vec.New[float32](1, 3), knn.Settings{}); err != nil {
		t.Fatal(err)
	}
	if _, err := New(3, Settings{Index: ix}); err == nil {
		t.Fatal("an index with rows is taken")
	}
}

// A cancelled insertion leaves the index as it was too.
func TestIncrementalIndexCancelled(t *testing.T) {
	ix := newIndex(t, 3)
	g, p := newGraph(t, 3, Settings{Neighbors: 4, Index: ix}), points{}
	insert(t, g, p, knntest.Points[float32]("gauss", 30, 3, 1))
	for left := 0; ; left++ {
		slots, err := g.Insert(&ending{context.Background(), left}, knntest.Points[float32]("gauss", 25, 3, 2))
		if err == nil {
			break
		}
		if slots != nil || ix.Len() != 30 || left > 1000 {
			t.Fatalf("%d rows after %v", ix.Len(), err)
		}
		checkLists(t, g, p)
	}
}

// The graph takes no more than its bound beyond the rows, while points come and go.
func TestBytes(t *testing.T) {
	const n, dim, batch, bound = 12000, 50, 500, 1024
	x := knntest.Points[float32]("gauss", n, dim, 1)
	g := newGraph(t, dim, Settings{Parts: All})
	ctx := context.Background()
	most := math.Inf(-1)
	for from := 0; from < n; from += batch {
		slots, err := g.Insert(ctx, x.Slice(from, from+batch))
		if err != nil {
			t.Fatal(err)
		}
		if from%(2*batch) == 0 && from > 0 {
			if err := g.Delete(ctx, slots[:batch/5]); err != nil {
				t.Fatal(err)
			}
		}
		if from >= n/4 {
			most = max(most, float64(g.Bytes())/float64(g.Len())-4*dim)
		}
	}
	if most > bound {
		t.Fatalf("%.0f bytes a point beyond its row, want at most %d", most, bound)
	}
	t.Logf("%.0f bytes a point beyond its row", most)
}
