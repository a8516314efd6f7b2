package graph

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	bowman "github.com/james-bowman/sparse"
	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/sparse"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

type fataler interface{ Fatalf(string, ...any) }

func neighbors(t fataler, x vec.Matrix[float64], k int) *knn.Neighbors {
	nb, err := knn.Graph(context.Background(), x, k, knn.Settings{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return nb
}

func build(t fataler, x vec.Matrix[float64], nb *knn.Neighbors, s Settings) *Graph {
	g, err := Build(context.Background(), x, nb, s)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return g
}

// islands returns n points in a few clusters that lists of k neighbours rarely connect, without
// ties.
func islands(n, dim, clusters int, seed uint64) vec.Matrix[float64] {
	rng := rand.New(rand.NewPCG(seed, 3))
	x := vec.New[float64](n, dim)
	for i := range n {
		c := rng.IntN(clusters)
		for j := range x.Row(i) {
			x.Row(i)[j] = rng.NormFloat64() + 9*float64((c*(j+1))%clusters)
		}
	}
	return x
}

// drawCase draws points, with or without ties, and settings.
func drawCase(t *rapid.T) (x vec.Matrix[float64], k int, s Settings) {
	n := rapid.IntRange(2, 120).Draw(t, "n")
	dim := rapid.IntRange(1, 4).Draw(t, "dim")
	seed := rapid.Uint64().Draw(t, "seed")
	if rapid.Bool().Draw(t, "ties") {
		x = knntest.Points[float64](rapid.SampledFrom([]string{"grid", "duplicates", "line"}).Draw(t, "kind"), n, dim, seed)
	} else {
		x = islands(n, dim, rapid.IntRange(1, 6).Draw(t, "clusters"), seed)
	}
	k = rapid.IntRange(1, min(n-1, 6)).Draw(t, "k")
	s.Core = rapid.IntRange(0, 4).Draw(t, "core")
	s.Components = rapid.SampledFrom([]Components{Connect, Largest}).Draw(t, "components")
	return x, k, s
}

// E is a subset of K and the bridges, contains T in at least one direction, and T spans the points.
func TestStructure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, k, s := drawCase(t)
		nb := neighbors(t, x, k)
		g := build(t, x, nb, s)
		label, size := Label(nb)
		if g.Components != len(size) {
			t.Fatalf("%d components, want %d", g.Components, len(size))
		}
		if s.Components == Connect {
			if g.Keep != nil || g.N != x.Rows || len(g.Bridges) != g.Components-1 {
				t.Fatalf("connect: keep %v, %d of %d points, %d bridges for %d components", g.Keep, g.N, x.Rows, len(g.Bridges), g.Components)
			}
		} else if len(g.Bridges) != 0 || g.N != slices.Max(size) {
			t.Fatalf("largest: %d bridges, %d points, largest component has %d", len(g.Bridges), g.N, slices.Max(size))
		}
		if g.Keep != nil {
			x, nb = vec.Take(x, g.Keep), restrict(nb, g.Keep)
		}
		f := NewForest(g.N)
		for p, e := range g.Tree {
			if e.I >= e.J || e.Dist2 != vec.SquaredDistance(x.Row(int(e.I)), x.Row(int(e.J))) {
				t.Fatalf("tree edge %v", e)
			}
			if p > 0 && (g.Tree[p-1].I > e.I || g.Tree[p-1].I == e.I && g.Tree[p-1].J >= e.J) {
				t.Fatalf("tree edge %v comes after %v", e, g.Tree[p-1])
			}
			if !f.Union(e.I, e.J) {
				t.Fatalf("tree edge %v closes a circle", e)
			}
			if !g.Has(e.I, e.J) && !g.Has(e.J, e.I) {
				t.Fatalf("tree edge %v is not in E", e)
			}
		}
		if len(g.Tree) != g.N-1 {
			t.Fatalf("%d tree edges for %d points", len(g.Tree), g.N)
		}
		for i := range g.N {
			to, dist2 := g.Row(i)
			if len(to) == 0 && g.N == 1 {
				continue
			}
			index, _ := nb.Row(i)
			for p, j := range to {
				if p > 0 && to[p-1] >= j {
					t.Fatalf("row %d is %v", i, to)
				}
				if dist2[p] != vec.SquaredDistance(x.Row(i), x.Row(int(j))) {
					t.Fatalf("edge (%d,%d) has length^2 %v", i, j, dist2[p])
				}
				if slices.Contains(index, j) {
					continue
				}
				e := Edge{I: min(int32(i), j), J: max(int32(i), j), Dist2: dist2[p]}
				if !slices.Contains(g.Bridges, e) {
					t.Fatalf("edge (%d,%d) is neither in K nor a bridge", i, j)
				}
				if size[label[i]] > size[label[j]] || g.Has(j, int32(i)) {
					t.Fatalf("bridge (%d,%d) starts in the larger component or goes both ways", i, j)
				}
			}
		}
	})
}

// E agrees with eq 23 and 24 computed as matrix products with the other library.
func TestEdgesAgainstMatrixProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, k, s := drawCase(t)
		nb := neighbors(t, x, k)
		s.Components = Largest
		g := build(t, x, nb, s)
		if g.Keep != nil {
			nb = restrict(nb, g.Keep)
		}
		reach := powers(t, nb, max(s.Core, 1))
		tree := map[[2]int32]bool{}
		for _, e := range g.Tree {
			tree[[2]int32{e.I, e.J}], tree[[2]int32{e.J, e.I}] = true, true
		}
		for i := range nb.N {
			index, _ := nb.Row(i)
			for _, j := range index {
				want := tree[[2]int32{int32(i), j}] || (reach.At(i, int(j)) > 0 && reach.At(int(j), i) > 0)
				if got := g.Has(int32(i), j); got != want {
					t.Fatalf("E(%d,%d) is %v, want %v", i, j, got, want)
				}
			}
		}
	})
}

// powers returns R = K + K^2 + ... + K^s.
func powers(t fataler, nb *knn.Neighbors, s int) *bowman.CSR {
	var i, j []int32
	var w []float64
	for a := range nb.N {
		index, _ := nb.Row(a)
		for _, b := range index {
			i, j, w = append(i, int32(a)), append(j, b), append(w, 1)
		}
	}
	k := sparse.RowsFromTriplets(nb.N, nb.N, i, j, w).CSR
	sum, power := k, k
	for range s - 1 {
		next, total := &bowman.CSR{}, &bowman.CSR{}
		next.Mul(power, k)
		total.Add(sum, next)
		sum, power = total, next
	}
	return sum
}

// The tree has minimal weight, compared with Prim's algorithm on the dense matrix with all pairs of
// points of different components allowed.
func TestTreeIsMinimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, k, s := drawCase(t)
		s.Components = Connect
		nb := neighbors(t, x, k)
		g := build(t, x, nb, s)
		label, _ := Label(nb)
		allowed := func(i, j int) bool {
			a, _ := nb.Row(i)
			b, _ := nb.Row(j)
			return label[i] != label[j] || slices.Contains(a, int32(j)) || slices.Contains(b, int32(i))
		}
		in := make([]bool, x.Rows)
		best := make([]float64, x.Rows)
		for i := range best {
			best[i] = math.Inf(1)
		}
		// An edge between components costs an offset above any inner edge, because components are
		// joined after they are spanned.
		const offset = 1e6
		var want float64
		for next := 0; next >= 0; {
			in[next] = true
			for j := range best {
				if !in[j] && allowed(next, j) {
					d2 := vec.SquaredDistance(x.Row(next), x.Row(j))
					if label[next] != label[j] {
						d2 += offset
					}
					best[j] = min(best[j], d2)
				}
			}
			next = -1
			for j := range best {
				if !in[j] && (next < 0 || best[j] < best[next]) {
					next = j
				}
			}
			if next >= 0 {
				want += best[next]
			}
		}
		got := offset * float64(len(g.Bridges))
		for _, e := range g.Tree {
			got += e.Dist2
		}
		if math.Abs(got-want) > 1e-12*(1+want) {
			t.Fatalf("the tree weighs %v, the lightest %v", got, want)
		}
	})
}

// Neighbours and graph are the same for any number of threads; there are enough points for several
// tasks of each stage.
func TestThreadsDoNotMatter(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1025, 1300).Draw(t, "n")
		x := islands(n, 3, rapid.IntRange(1, 7).Draw(t, "clusters"), rapid.Uint64().Draw(t, "seed"))
		k := rapid.IntRange(1, 6).Draw(t, "k")
		s := Settings{Core: rapid.IntRange(1, 3).Draw(t, "core"), Components: rapid.SampledFrom([]Components{Connect, Largest}).Draw(t, "components")}
		run := func(threads int) (*knn.Neighbors, *Graph) {
			nb, err := knn.Graph(ctx, x, k, knn.Settings{Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			s.Threads = threads
			return nb, build(t, x, nb, s)
		}
		wantLists, want := run(1)
		threads := rapid.IntRange(2, 8).Draw(t, "threads")
		lists, got := run(threads)
		if !reflect.DeepEqual(lists, wantLists) {
			t.Fatalf("other neighbours with %d threads", threads)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("another graph with %d threads", threads)
		}
	})
}

// Renumbering the rows renumbers the graph.
func TestPermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 150).Draw(t, "n")
		seed := rapid.Uint64().Draw(t, "seed")
		x := islands(n, 3, rapid.IntRange(1, 8).Draw(t, "clusters"), seed)
		k := rapid.IntRange(1, min(5, n-1)).Draw(t, "k")
		s := Settings{Core: rapid.IntRange(1, 3).Draw(t, "core")}
		g := build(t, x, neighbors(t, x, k), s)
		perm := rand.New(rand.NewPCG(seed, 9)).Perm(n) // row p of y is row perm[p] of x
		y := vec.Take(x, perm)
		h := build(t, y, neighbors(t, y, k), s)
		if g.Edges() != h.Edges() || g.Components != h.Components || len(g.Bridges) != len(h.Bridges) {
			t.Fatalf("%d edges, %d components; permuted %d, %d", g.Edges(), g.Components, h.Edges(), h.Components)
		}
		for p := range n {
			to, _ := h.Row(p)
			for _, q := range to {
				if !g.Has(int32(perm[p]), int32(perm[q])) {
					t.Fatalf("edge (%d,%d) of the permuted graph is not in the graph", p, q)
				}
			}
		}
		for _, e := range h.Tree {
			i, j := int32(perm[e.I]), int32(perm[e.J])
			if !slices.Contains(g.Tree, Edge{I: min(i, j), J: max(i, j), Dist2: e.Dist2}) {
				t.Fatalf("tree edge %v of the permuted graph is not in the tree", e)
			}
		}
	})
}

func TestRefuses(t *testing.T) {
	x := islands(20, 2, 1, 1)
	nb := neighbors(t, x, 3)
	spoiled := func(j int32) *knn.Neighbors {
		c := knn.NewNeighbors(20, 3)
		copy(c.Index, nb.Index)
		c.Index[7] = j
		return c
	}
	for name, c := range map[string]struct {
		nb *knn.Neighbors
		s  Settings
	}{
		"core":       {nb, Settings{Core: -1}},
		"components": {nb, Settings{Components: 2}},
		"rows":       {knn.NewNeighbors(19, 3), Settings{}},
		"no lists":   {knn.NewNeighbors(20, 0), Settings{}},
		"negative":   {spoiled(-1), Settings{}},
		"beyond":     {spoiled(20), Settings{}},
		"itself":     {spoiled(2), Settings{}},
	} {
		if _, err := Build(context.Background(), x, c.nb, c.s); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Build(ctx, x, nb, Settings{}); err == nil {
		t.Error("cancelled: no error")
	}
	y := islands(200, 2, 5, 1)
	if _, err := Build(ctx, y, neighbors(t, y, 2), Settings{}); err == nil {
		t.Error("cancelled while joining components: no error")
	}
}

func TestParseComponents(t *testing.T) {
	for _, c := range []Components{Connect, Largest} {
		if got, err := parseComponents(c.String()); err != nil || got != c {
			t.Errorf("%v is read as %v, %v", c, got, err)
		}
		text, err := c.MarshalText()
		var got Components
		if err != nil || got.UnmarshalText(text) != nil || got != c {
			t.Errorf("%v is written as %q (%v) and read as %v", c, text, err, got)
		}
	}
	if text, err := Components(9).MarshalText(); err == nil {
		t.Errorf("an unknown value is written as %q", text)
	}
	if err := new(Components).UnmarshalText([]byte("all")); err == nil {
		t.Error("all: no error")
	}
	if _, err := parseComponents("all"); err == nil {
		t.Error("all: no error")
	}
	if got := Components(9).String(); got != "Components(9)" {
		t.Errorf("unknown value prints as %q", got)
	}
}

func ExampleBuild() {
	// The points are two distant triangles. The components are equally large, so the bridge starts
	// at the point that is farther from its own neighbours.
	x := vec.Of(6, 2, []float64{0, 0, 1, 0, 0, 1.1, 9, 0, 9, 1, 8, 0.5})
	nb, err := knn.Graph(context.Background(), x, 2, knn.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := Build(context.Background(), x, nb, Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Components, "components, joined by", g.Bridges[0].I, g.Bridges[0].J)
	for i := range g.N {
		to, _ := g.Row(i)
		fmt.Println(i, to)
	}
	// Output:
	// 2 components, joined by 1 5
	// 0 [1 2]
	// 1 [0 2 5]
	// 2 [0 1]
	// 3 [4 5]
	// 4 [3 5]
	// 5 [3 4]
}
