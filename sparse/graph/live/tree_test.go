package live

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"unfold/sparse/graph"
	"unfold/sparse/knn/knntest"
)

func TestReplace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, p := newGraph(t, 2, Settings{Neighbors: rapid.IntRange(1, 4).Draw(t, "k"), Parts: Tree}), points{}
		insert(t, g, p, someRows(t, p, rapid.SampledFrom([]string{"gauss", "grid"}).Draw(t, "kind"), 2, 40))
		f, changed := &g.forest, newSet(g.top)
		left := map[graph.Edge]bool{}
		f.old = f.old[:0]
		for _, e := range f.edges {
			if rapid.IntRange(0, 3).Draw(t, "goes") == 0 {
				left[e] = true
			} else {
				f.old = append(f.old, e)
			}
		}
		fresh := len(f.fresh)
		f.replace(g, changed)
		if fresh != 0 || len(f.cross) != 0 {
			t.Fatalf("%d fresh edges before, %d crossing ones after", fresh, len(f.cross))
		}
		back := map[graph.Edge]bool{} // an edge may be the best of both its trees
		for _, e := range f.fresh {
			back[e] = true
		}
		if !maps.Equal(back, left) || slices.ContainsFunc(f.best, func(b int32) bool { return b != 0 }) {
			t.Fatalf("%v left, %v come back; the best edges are %v", left, back, f.best)
		}

		tree := func(i int32) int32 { return i / 7 }
		f.cut.Clear()
		for i := int32(g.top) - 2; i >= 0; i-- { // chains of parents
			if tree(i) == tree(i+1) {
				f.cut.Union(i, i+1)
			}
		}
		for i := int32(0); int(i) < g.top; i += 3 {
			changed.add(i)
		}
		f.crossing(g, changed)
		var want []graph.Edge
		for i := range int32(g.top) {
			index, dist2 := g.Neighbors(i)
			for q, j := range index {
				if i%3 != 0 && tree(i) != tree(j) {
					want = append(want, graph.Edge{I: min(i, j), J: max(i, j), Dist2: dist2[q]})
				}
			}
		}
		if !slices.Equal(f.cross, want) {
			t.Fatalf("%v cross, want %v", f.cross, want)
		}
	})
}

func TestMarks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walk(t, All, func(g *Graph, p points) {
			for slot := range p {
				index, _ := g.Neighbors(slot)
				for q, j := range index {
					in := slices.ContainsFunc(g.Tree(), func(e graph.Edge) bool { return e.I == min(slot, j) && e.J == max(slot, j) })
					if g.marks.has(slot, q) != in {
						t.Fatalf("slot %d, neighbour %d is marked: %v, want %v", slot, q, !in, in)
					}
				}
			}
			if len(g.marks.bits) != g.top*g.marks.words || len(g.reach.bits) != g.top*g.reach.words {
				t.Fatalf("bits of %d and %d words below %d", len(g.marks.bits), len(g.reach.bits), g.top)
			}
		})
	})
}

func TestWalk(t *testing.T) {
	g, p := newGraph(t, 2, Settings{Neighbors: 3, Core: 3}), points{}
	insert(t, g, p, knntest.Points[float32]("gauss", 60, 2, 1))
	w := &walker{now: math.MaxUint32, seen: slices.Repeat([]uint32{1}, 60)} // met by the first walk of all
	now := w.now
	for round := range 3 {
		for j := range int32(60) {
			w.walk(g, j)
			if now = max(now+1, 1); w.now != now {
				t.Fatalf("walk %d is followed by %d", now, w.now)
			}
			want := map[int32]bool{j: true}
			for range 3 {
				for i := range want {
					if want[i] {
						index, _ := g.Neighbors(i)
						for _, to := range index {
							if !want[to] {
								want[to] = false // of the next step
							}
						}
					}
				}
				for i := range want {
					want[i] = true
				}
			}
			met := slices.Clone(w.queue)
			slices.Sort(met)
			if len(slices.Compact(met)) != len(w.queue) || len(met) != len(want) || w.queue[0] != j {
				t.Fatalf("round %d: from %d the walk is %v, want %d slots", round, j, w.queue, len(want))
			}
			for i, s := range w.seen {
				if (s == w.now) != want[int32(i)] {
					t.Fatalf("from %d slot %d is seen: %v", j, i, s == w.now)
				}
			}
		}
	}
}

func TestGroup(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const top = 40
	pieces := make([][]entry, 3)
	for n := range 9000 {
		e := entry{i: int32(n), j: int32(rng.IntN(top)), p: uint16(n % 7)}
		if n%3 == 0 {
			e.j = 11
		}
		pieces[n/3000] = append(pieces[n/3000], e)
	}
	for j := range int32(1024) { // exactly one group before all others
		pieces[0] = append(pieces[0], entry{i: 9000 + j, j: 0})
	}
	for q := range pieces {
		for e := range pieces[q] {
			if pieces[q][e].j == 0 && pieces[q][e].i < 9000 {
				pieces[q][e].j = 1
			}
		}
	}
	groups := group(pieces, top)
	want := slices.Concat(pieces...)
	slices.SortStableFunc(want, func(a, b entry) int { return int(a.j - b.j) })
	if !slices.Equal(slices.Concat(groups...), want) {
		t.Error("the entries are others, or not in order")
	}
	if len(groups[0]) != 1024 {
		t.Errorf("the first group has %d entries", len(groups[0]))
	}
	for n, list := range groups {
		last := list[len(list)-1].j
		if n < len(groups)-1 && (len(list) < 1024 || groups[n+1][0].j == last || len(list) > 1024 && list[1023].j != last) {
			t.Errorf("group %d of %d entries ends at slot %d, the next begins at %d", n, len(list), last, groups[n+1][0].j)
		}
	}
	if got := group(nil, 3); len(got) != 0 {
		t.Errorf("no entries make %v", got)
	}
}

func TestCompactTree(t *testing.T) {
	g, p := newGraph(t, 2, Settings{Neighbors: 2, Parts: Tree}), points{}
	insert(t, g, p, knntest.Points[float32]("gauss", 80, 2, 1))
	remove(t, g, p, []int32{0, 5, 17, 60})
	c, err := g.Compact()
	if err != nil {
		t.Fatal(err)
	}
	var want []graph.Edge
	for _, e := range g.Tree() {
		want = append(want, graph.Edge{I: int32(slices.Index(c.Slots, e.I)), J: int32(slices.Index(c.Slots, e.J)), Dist2: e.Dist2})
	}
	slices.SortFunc(want, func(a, b graph.Edge) int { return int(a.I-b.I)*1000 + int(a.J-b.J) })
	if !slices.Equal(c.Tree, want) || c.Mutual != nil || len(c.Label) != 76 {
		t.Errorf("the tree is %v, want %v; %d labels", c.Tree, want, len(c.Label))
	}
	g, p = newGraph(t, 2, Settings{Neighbors: 2, Parts: Reach}), points{}
	insert(t, g, p, knntest.Points[float32]("gauss", 3, 2, 1))
	if c, err = g.Compact(); err != nil || c.Tree != nil || c.Label != nil || len(c.Mutual) != 6 {
		t.Errorf("%+v, %v", c, err)
	}
	remove(t, g, p, []int32{1})
	if _, err := g.Compact(); err == nil || !strings.Contains(err.Error(), "2 neighbours need more points than the 2") {
		t.Errorf("lists of 2 neighbours of 2 points: %v", err)
	}
}
