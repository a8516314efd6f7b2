package live

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/testkit/ending"
	"unfold/internal/vec"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

// points are the expected rows of a graph, by slot.
type points map[int32][]float32

// matrix returns the rows in ascending order of their slots, and these.
func (p points) matrix(dim int) (vec.Matrix[float32], []int32) {
	var slots []int32
	for slot := range p {
		slots = append(slots, slot)
	}
	slices.Sort(slots)
	x := vec.New[float32](len(slots), dim)
	for r, slot := range slots {
		copy(x.Row(r), p[slot])
	}
	return x, slots
}

func newGraph(t fataler, dim int, s Settings) *Graph {
	t.Helper()
	g, err := New(dim, s)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return g
}

func insert(t fataler, g *Graph, p points, x vec.Matrix[float32]) []int32 {
	t.Helper()
	slots, err := g.Insert(context.Background(), x)
	if err != nil {
		t.Fatalf("insert: %v", err)
	}
	for r, slot := range slots {
		if _, used := p[slot]; used {
			t.Fatalf("slot %d is given twice", slot)
		}
		p[slot] = slices.Clone(x.Row(r))
	}
	return slots
}

func remove(t fataler, g *Graph, p points, slots []int32) {
	t.Helper()
	if err := g.Delete(context.Background(), slots); err != nil {
		t.Fatalf("delete: %v", err)
	}
	for _, slot := range slots {
		delete(p, slot)
	}
}

// checkLists compares slots, rows and lists with those of the points.
func checkLists(t fataler, g *Graph, p points) {
	t.Helper()
	x, slots := p.matrix(g.Dim())
	if !slices.Equal(g.Slots(nil), slots) || g.Len() != len(slots) {
		t.Fatalf("%d points in slots %v, want %v", g.Len(), g.Slots(nil), slots)
	}
	if n := len(slots); n > 0 && g.Top() != int(slots[n-1])+1 || n == 0 && g.Top() != 0 {
		t.Fatalf("top is %d, slots are %v", g.Top(), slots)
	}
	k := min(g.Settings().Neighbors, len(slots)-1)
	var nb *knn.Neighbors
	if k > 0 {
		var err error
		if nb, err = knn.Graph(context.Background(), x, k, knn.Settings{}); err != nil {
			t.Fatalf("%v", err)
		}
	} else {
		nb = knn.NewNeighbors(len(slots), 0)
	}
	for r, slot := range slots {
		if !slices.Equal(g.Row(slot), p[slot]) {
			t.Fatalf("slot %d holds %v, want %v", slot, g.Row(slot), p[slot])
		}
		want, far := nb.Row(r)
		for i, j := range want {
			want[i] = slots[j]
		}
		index, dist2 := g.Neighbors(slot)
		if !slices.Equal(index, want) || !slices.Equal(dist2, far) {
			t.Fatalf("%d points, slot %d has neighbours\n%v %v, want\n%v %v", len(slots), slot, index, dist2, want, far)
		}
		last := math.Inf(1)
		if k == g.Settings().Neighbors {
			last = far[k-1]
		}
		if g.KDist2(slot) != last {
			t.Fatalf("slot %d: k-th distance %v, want %v", slot, g.KDist2(slot), last)
		}
	}
}

// someRows draws rows of a kind, or copies of rows that are there.
func someRows(t *rapid.T, p points, kind string, dim, most int) vec.Matrix[float32] {
	n := rapid.IntRange(1, most).Draw(t, "rows")
	x := knntest.Points[float32](kind, n, dim, rapid.Uint64().Draw(t, "seed"))
	if len(p) > 0 && rapid.IntRange(0, 3).Draw(t, "copies") == 0 {
		have, _ := p.matrix(dim)
		for r := range n {
			copy(x.Row(r), have.Row(rapid.IntRange(0, have.Rows-1).Draw(t, "copy")))
		}
	}
	return x
}

// cuts returns the number of bridges that end at a point. A bridge is an edge whose removal
// disconnects the symmetrised lists. It is found by leaving out the edges of the forest, one at a
// time.
func cuts(t fataler, g *Graph, p points) map[int32]int {
	out := map[int32]int{}
	nb, slots := batch(t, g, p)
	if nb == nil {
		return out
	}
	edges, _ := graph.Symmetrize(nb)
	forest := graph.SpanningTree(nb.N, edges)
	for _, left := range forest {
		rest := slices.Delete(slices.Clone(edges), int(left), int(left)+1)
		if len(graph.SpanningTree(nb.N, rest)) < len(forest) {
			out[slots[edges[left].I]]++
			out[slots[edges[left].J]]++
		}
	}
	return out
}

// victims draws points to delete: any, the hubs that most lists name, the points of
// bridges, or all but a few.
func victims(t *rapid.T, g *Graph, p points) []int32 {
	_, slots := p.matrix(g.Dim())
	named := make([]int, g.Top())
	for _, slot := range slots {
		index, _ := g.Neighbors(slot)
		for _, j := range index {
			named[j]++
		}
	}
	n := rapid.IntRange(1, min(len(slots), 12)).Draw(t, "victims")
	switch rapid.SampledFrom([]string{"any", "hubs", "bridges", "leave"}).Draw(t, "who") {
	case "hubs":
		slices.SortStableFunc(slots, func(a, b int32) int { return named[b] - named[a] })
	case "bridges":
		cut := cuts(t, g, p)
		slices.SortStableFunc(slots, func(a, b int32) int { return cut[b] - cut[a] })
	case "leave":
		stay := rapid.IntRange(0, g.Settings().Neighbors+2).Draw(t, "stay")
		n = max(1, len(slots)-stay)
		slots = rapid.Permutation(slots).Draw(t, "order")
	default:
		slots = rapid.Permutation(slots).Draw(t, "order")
	}
	return slots[:n]
}

// walk does a random sequence of inserts and deletes and calls check after each.
func walk(t *rapid.T, parts Parts, check func(g *Graph, p points)) {
	dim := rapid.IntRange(1, 5).Draw(t, "dim")
	s := Settings{
		Neighbors: rapid.IntRange(1, 7).Draw(t, "k"), Spare: rapid.IntRange(-1, 6).Draw(t, "spare"),
		Core: rapid.IntRange(1, 3).Draw(t, "core"), Parts: parts, Threads: rapid.IntRange(1, 3).Draw(t, "threads"),
	}
	s.Lists = s.Neighbors + rapid.SampledFrom([]int{0, 0, 1, 4}).Draw(t, "listed beyond k")
	kind := rapid.SampledFrom(knntest.Kinds).Draw(t, "kind")
	g, p := newGraph(t, dim, s), points{}
	for range rapid.IntRange(1, 12).Draw(t, "steps") {
		if len(p) > 0 && rapid.IntRange(0, 2).Draw(t, "delete") == 0 {
			remove(t, g, p, victims(t, g, p))
		} else {
			most := 12
			if rapid.IntRange(0, 3).Draw(t, "many") == 0 {
				most = 120
			}
			insert(t, g, p, someRows(t, p, kind, dim, most))
		}
		check(g, p)
	}
}

func TestIncrementalLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walk(t, Lists, func(g *Graph, p points) { checkLists(t, g, p) })
	})
}

// Queries fill several strips and panels, and some searches end early.
func TestIncrementalListsOfMany(t *testing.T) {
	for _, kind := range []string{"clusters", "gauss", "grid", "outlier"} {
		const dim = 20
		rng := rand.New(rand.NewPCG(5, 1))
		pool := knntest.Points[float32](kind, 6000, dim, 1)
		g, p := newGraph(t, dim, Settings{Neighbors: 6, Threads: 2}), points{}
		next := 0
		more := func(n int) {
			insert(t, g, p, pool.Slice(next, next+n))
			next += n
		}
		more(2500)
		for range 4 {
			more(150)
			_, slots := p.matrix(dim)
			rng.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
			remove(t, g, p, slots[:400])
		}
		checkLists(t, g, p)
		more(1)
		checkLists(t, g, p)
	}
}

func TestBadInput(t *testing.T) {
	g, p := newGraph(t, 3, Settings{Neighbors: 2}), points{}
	insert(t, g, p, knntest.Points[float32]("gauss", 20, 3, 1))
	ctx := context.Background()
	bad := knntest.Points[float32]("gauss", 4, 3, 2)
	bad.Row(2)[1] = float32(math.NaN())
	var value *knn.ValueError
	if _, err := g.Insert(ctx, bad); !errors.As(err, &value) || value.Row != 2 || value.Col != 1 {
		t.Fatalf("a NaN gives %v", err)
	}
	if _, err := g.Insert(ctx, vec.New[float32](2, 4)); err == nil {
		t.Fatal("rows of another dimension are taken")
	}
	for _, slots := range [][]int32{{-1}, {20}, {3, 3}, {4, 1000}} {
		if g.Delete(ctx, slots) == nil {
			t.Fatalf("deletes %v", slots)
		}
	}
	checkLists(t, g, p)
	if slots, err := g.Insert(ctx, vec.New[float32](0, 3)); err != nil || len(slots) != 0 {
		t.Fatalf("no rows give %v, %v", slots, err)
	}
	for _, s := range []Settings{{Neighbors: -1}, {Neighbors: 1 << 20}, {Core: -1}, {Spare: 1 << 20}, {Parts: 1 << 9}, {Neighbors: 5, Lists: 4}, {Lists: 1 << 20}} {
		if _, err := New(3, s); err == nil {
			t.Fatalf("%+v are taken", s)
		}
	}
	if _, err := New(0, Settings{}); err == nil {
		t.Fatal("rows without columns are taken")
	}
}

// A call that is cancelled anywhere leaves the graph as it was.
func TestIncrementalCancelled(t *testing.T) {
	for _, n := range []int{40, 900} {
		g, p := newGraph(t, 2, Settings{Neighbors: 3, Spare: 1, Parts: All, Threads: 1}), points{}
		insert(t, g, p, knntest.Points[float32]("gauss", n, 2, 1))
		more := knntest.Points[float32]("gauss", 30, 2, 2)
		var gone []int32
		for slot := int32(0); slot < 30; slot++ {
			gone = append(gone, slot*int32(n)/30)
		}
		for left := 0; ; left++ {
			ctx := ending.After(context.Background(), left)
			slots, err := g.Insert(ctx, more)
			if err == nil {
				if left == 0 {
					t.Fatal("the insertion never asks")
				}
				remove(t, g, p, slots)
				break
			}
			if !errors.Is(err, context.Canceled) || slots != nil {
				t.Fatalf("cancelled: %v, %v", slots, err)
			}
			checkLists(t, g, p)
		}
		for left := 0; ; left++ {
			err := g.Delete(ending.After(context.Background(), left), gone)
			if err == nil {
				for _, slot := range gone {
					delete(p, slot)
				}
				checkLists(t, g, p)
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			checkLists(t, g, p)
		}
		insert(t, g, p, more)
		checkLists(t, g, p)
	}
}
