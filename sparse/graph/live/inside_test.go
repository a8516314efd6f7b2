package live

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/testkit/ending"
	"unfold/sparse/graph"
	"unfold/sparse/knn/knntest"
)

// checkInside checks the invariants of lists beyond K: their radius, and the points that they would take.
func checkInside(t fataler, g *Graph, p points) {
	t.Helper()
	l, n := &g.lists, len(p)
	if len(l.count) != g.top || len(l.reach) != g.top || len(l.index) != g.top*l.most || len(l.dist2) != g.top*l.most {
		t.Fatalf("lists of %d, %d, %d, %d below %d", len(l.count), len(l.reach), len(l.index), len(l.dist2), g.top)
	}
	for slot := range int32(g.top) {
		index, dist2 := l.full(slot)
		if !g.Has(slot) {
			if len(index) != 0 || l.reach[slot] != -1 {
				t.Fatalf("empty slot %d lists %v, up to %g", slot, index, l.reach[slot])
			}
			continue
		}
		want, far := sorted(p, slot)
		if len(index) < min(l.least, n-1) || len(index) > l.most || !slices.Equal(index, want[:len(index)]) || !slices.Equal(dist2, far[:len(index)]) {
			t.Fatalf("slot %d lists\n%v %v, want the first of\n%v %v", slot, index, dist2, want, far)
		}
		open := math.IsInf(l.reach[slot], 1)
		if open && (len(index) != n-1 || len(index) == l.most) || !open && (len(index) == 0 || l.reach[slot] != dist2[len(index)-1]) {
			t.Fatalf("slot %d of %d lists %d at %v, up to %g", slot, n, len(index), dist2, l.reach[slot])
		}
		known, at := g.Known(slot)
		if !slices.Equal(known, index) || !slices.Equal(at, dist2) || cap(known) != len(known) || cap(at) != len(at) {
			t.Fatalf("slot %d knows %v at %v, lists %v", slot, known, at, index)
		}
	}
}

// sorted returns all other points by (squared distance, slot).
func sorted(p points, of int32) (index []int32, dist2 []float64) {
	far := map[int32]float64{}
	for slot, row := range p {
		if slot == of {
			continue
		}
		for c, v := range row {
			d := float64(v) - float64(p[of][c])
			far[slot] += d * d
		}
		index = append(index, slot)
	}
	slices.SortFunc(index, func(a, b int32) int {
		if far[a] != far[b] {
			if far[a] < far[b] {
				return -1
			}
			return 1
		}
		return int(a - b)
	})
	for _, j := range index {
		dist2 = append(dist2, far[j])
	}
	return index, dist2
}

// Lists have the promised length, and Changed names exactly the lists that are others than before.
func TestListsInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 6).Draw(t, "k")
		g, p := newGraph(t, 2, Settings{Neighbors: k, Spare: rapid.IntRange(-1, 6).Draw(t, "spare"), Parts: Similar, Core: rapid.IntRange(1, 3).Draw(t, "core")}), points{}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			before, n := map[int32][]int32{}, len(p)
			for slot := range p {
				index, _ := g.Neighbors(slot)
				before[slot] = slices.Clone(index)
			}
			var want []int32
			grown := false
			if n > 0 && rapid.Bool().Draw(t, "delete") {
				want = victims(t, g, p)
				remove(t, g, p, want)
			} else {
				x := someRows(t, p, "grid", 2, 12)
				want, grown = insert(t, g, p, x), true
				if x.Rows >= n { // all lists are made again
					want = g.Slots(nil)
				}
			}
			want = slices.Clone(want)
			for slot := range p {
				if index, _ := g.Neighbors(slot); !slices.Contains(want, slot) && !slices.Equal(index, before[slot]) {
					want = append(want, slot)
				}
			}
			slices.Sort(want)
			if got := g.Changed([]int32{-1}); got[0] != -1 || !slices.Equal(got[1:], want) {
				t.Fatalf("insertion: %v, of %d points %v changed, want %v", grown, n, got, want)
			}
			checkInside(t, g, p)
			checkReaching(t, g)
		}
	})
}

// checkReaching compares the slots that reach a few in s-1 steps with walks from all slots.
func checkReaching(t fataler, g *Graph) {
	t.Helper()
	s := newSet(g.top)
	for slot := int32(0); int(slot) < g.top; slot += 5 {
		s.add(slot)
	}
	got := g.reaching(s)
	for slot := range int32(g.top) {
		near, want := []int32{slot}, false
		for step := range g.set.Core {
			var next []int32
			for _, i := range near {
				want = want || i%5 == 0
				index, _ := g.lists.nearest(i)
				next = append(next, index...)
			}
			if step < g.set.Core-1 {
				near = next
			}
		}
		if got.has(slot) != want {
			t.Fatalf("slot %d reaches a multiple of 5 in %d steps: %v, want %v", slot, g.set.Core-1, got.has(slot), want)
		}
	}
}

// An insertion of at least as many rows as there are points computes all lists again, in full
// length. A smaller insertion does not lengthen lists that deletions have shortened.
func TestInsertRenews(t *testing.T) {
	for _, more := range []int{9, 10} {
		g, p := newGraph(t, 2, Settings{Neighbors: 2, Spare: 4}), points{}
		insert(t, g, p, knntest.Points[float32]("gauss", 13, 2, 1))
		remove(t, g, p, []int32{3, 5, 7})
		insert(t, g, p, knntest.Points[float32]("outlier", more, 2, 2))
		short := 0
		for slot := range p {
			if index, _ := g.Known(slot); len(index) < 6 {
				short++
			}
		}
		if (short == 0) != (more == 10) {
			t.Errorf("%d rows inserted among 10: %d lists are short", more, short)
		}
		checkInside(t, g, p)
	}
}

// Deletions search for those lists only that became too short, and not where all others are listed.
func TestLosers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, p := newGraph(t, 1, Settings{Neighbors: 3, Lists: 3 + rapid.IntRange(0, 2).Draw(t, "more"), Spare: rapid.IntRange(-1, 3).Draw(t, "spare")}), points{}
		insert(t, g, p, someRows(t, p, "gauss", 1, 14))
		gone := rapid.Permutation(g.Slots(nil)).Draw(t, "order")[:rapid.IntRange(1, len(p)).Draw(t, "gone")]
		dead := newSet(g.top)
		for _, slot := range gone {
			dead.add(slot)
		}
		lose, short := g.losers(dead, len(p)-len(gone))
		var wantLose, wantShort []int32
		for slot := range int32(g.top) {
			index, _ := g.Known(slot)
			rest := 0
			for _, j := range index {
				if !slices.Contains(gone, j) {
					rest++
				}
			}
			switch {
			case slices.Contains(gone, slot) || rest == len(index):
			case rest < g.set.Lists && rest < len(p)-len(gone)-1:
				wantShort = append(wantShort, slot)
			default:
				wantLose = append(wantLose, slot)
			}
		}
		if !slices.Equal(lose, wantLose) || !slices.Equal(short, wantShort) {
			t.Fatalf("%v lose, %v are short, want %v and %v", lose, short, wantLose, wantShort)
		}
	})
}

// The edges between the trees of a broken forest: crossing edges are those of unchanged lists with
// ends in two trees, and removed edges return. The marks of the tree's entries are those of the
// tree, after any changes. More than 64 neighbours take several words of bits.
func TestManyNeighbors(t *testing.T) {
	for _, k := range []int{63, 64, 65, 130} {
		for core := 1; core <= 2; core++ {
			g, p := newGraph(t, 3, Settings{Neighbors: k, Core: core, Parts: All}), points{}
			insert(t, g, p, knntest.Points[float32]("clusters", 150, 3, 1))
			remove(t, g, p, g.Slots(nil)[20:35])
			insert(t, g, p, knntest.Points[float32]("gauss", 7, 3, 2))
			checkLists(t, g, p)
			checkReach(t, g, p)
			checkSimilar(t, g, p)
		}
	}
}

// A walk meets every slot once that the lists lead to in s steps, also when the numbers of walks start
// again.
// Entries are ordered by the slot that they name, in groups of about a thousand that cut no slot's.
// The tree of Compact is that of the graph, by rank, in order of its ends; a part that is not kept is
// not there.
// Who asks for a part that is not kept, or for a point or neighbour that is not there, gets a panic that
// names it.
func TestPanics(t *testing.T) {
	of := func(parts Parts) *Graph {
		g, p := newGraph(t, 2, Settings{Neighbors: 2, Parts: parts}), points{}
		insert(t, g, p, knntest.Points[float32]("gauss", 5, 2, 1))
		remove(t, g, p, []int32{1})
		return g
	}
	all := of(All)
	for name, c := range map[string]struct {
		do   func()
		want string
	}{
		"components":       {func() { of(Reach).Components() }, "asked for lists+components of a graph that keeps lists+reach"},
		"component":        {func() { of(Lists).Component(0) }, "asked for lists+components of a graph that keeps lists"},
		"tree":             {func() { of(Components).Tree() }, "asked for lists+tree of a graph that keeps lists+components"},
		"mutual":           {func() { of(Tree).Mutual(0, 0) }, "asked for lists+reach of a graph that keeps lists+tree"},
		"similar":          {func() { of(Tree|Reach).Similar(0, 0) }, "asked for lists+tree+reach+similar of a graph that keeps lists+tree+reach"},
		"graph":            {func() { _, _ = of(Tree).Graph(t.Context(), graph.Connect) }, "asked for lists+tree+reach+similar of a graph that keeps lists+tree"},
		"row":              {func() { all.Row(1) }, "no point in slot 1"},
		"row below":        {func() { all.Row(-1) }, "no point in slot -1"},
		"row beyond":       {func() { all.Row(5) }, "no point in slot 5"},
		"neighbors":        {func() { all.Neighbors(1) }, "no point in slot 1"},
		"known":            {func() { all.Known(1) }, "no point in slot 1"},
		"component of":     {func() { all.Component(1) }, "no point in slot 1"},
		"mutual beyond":    {func() { all.Mutual(0, 2) }, "neighbour 2 of 2 of slot 0"},
		"mutual below":     {func() { all.Mutual(0, -1) }, "neighbour -1 of 2 of slot 0"},
		"similar beyond":   {func() { all.Similar(0, 2) }, "neighbour 2 of 2 of slot 0"},
		"similar below":    {func() { all.Similar(0, -1) }, "neighbour -1 of 2 of slot 0"},
		"similar of no":    {func() { all.Similar(1, 0) }, "no point in slot 1"},
		"first and others": {func() { all.Mutual(0, 0); all.Similar(0, 1); panic("none") }, "none"},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); strings.TrimPrefix(got, "live: ") != c.want {
					t.Errorf("%s: %s, want %s", name, got, c.want)
				}
			}()
			c.do()
		}()
	}
}

// Settings have their defaults, and their bounds are taken.
func TestSettings(t *testing.T) {
	for _, c := range []struct{ set, want Settings }{
		{Settings{}, Settings{Neighbors: 10, Lists: 10, Spare: 10, Core: 1}},
		{Settings{Neighbors: 3, Lists: 5}, Settings{Neighbors: 3, Lists: 5, Spare: 5, Core: 1}},
		{Settings{Neighbors: 1, Lists: 1, Spare: -7, Core: 2}, Settings{Neighbors: 1, Lists: 1, Core: 2}},
		{Settings{Neighbors: 1 << 12, Spare: 1 << 12}, Settings{Neighbors: 1 << 12, Lists: 1 << 12, Spare: 1 << 12, Core: 1}},
		{Settings{Parts: All, Spare: 1}, Settings{Neighbors: 10, Lists: 10, Spare: 1, Core: 1, Parts: All}},
	} {
		g, err := New(1, c.set)
		if err != nil || g.Settings() != c.want || g.Dim() != 1 {
			t.Errorf("%+v become %+v (%v), want %+v", c.set, g.Settings(), err, c.want)
		}
	}
	for set, want := range map[Settings]string{
		{Neighbors: 1<<12 + 1}: "4097 neighbours, want 1 to 4096", {Neighbors: -1}: "-1 neighbours",
		{Lists: 1<<12 + 1}: "lists of 4097 neighbours", {Spare: 1<<12 + 1}: "4097 spare neighbours", {Core: -1}: "core is -1",
		{Parts: All + 1}: "unknown parts", {Neighbors: 5, Lists: 4}: "lists of 4 neighbours, want 5",
	} {
		if _, err := New(1, set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", set, err, want)
		}
	}
	if _, err := New(0, Settings{}); err == nil || !strings.Contains(err.Error(), "dimension 0") {
		t.Errorf("rows without columns: %v", err)
	}
}

// Scratch memory is kept up to a bound, and comes back empty.
func TestReleased(t *testing.T) {
	for beyond, kept := range []bool{true, false} {
		if got := released(make([]graph.Edge, 3, 10+4096+beyond), 10); len(got) != 0 || (cap(got) > 0) != kept {
			t.Errorf("%d beyond the bound: %d of %d", beyond, len(got), cap(got))
		}
	}
	g, p := newGraph(t, 1, Settings{Neighbors: 1, Parts: Tree}), points{}
	insert(t, g, p, knntest.Points[float32]("gauss", 30, 1, 1))
	g.forest.fresh, g.forest.cross = make([]graph.Edge, 0, 9000), make([]graph.Edge, 0, 9000)
	insert(t, g, p, knntest.Points[float32]("gauss", 1, 1, 2))
	if f := g.forest; cap(f.fresh) > 5000 || cap(f.cross) > 5000 {
		t.Errorf("scratch memory for %d and %d edges is kept", cap(f.fresh), cap(f.cross))
	}
}

// A cancelled change returns one error and leaves the lists as they were; the graph can still be
// searched.
func TestCancelledInside(t *testing.T) {
	g, p := newGraph(t, 2, Settings{Neighbors: 3, Spare: -1, Threads: 1}), points{}
	insert(t, g, p, knntest.Points[float32]("gauss", 60, 2, 1))
	for left := range 2 {
		if err := g.Delete(ending.After(context.Background(), left), []int32{4, 5, 6}); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "and then") {
			t.Errorf("deletion: %v", err)
		}
		if _, err := g.Insert(ending.After(context.Background(), left), knntest.Points[float32]("gauss", 9, 2, 2)); !errors.Is(err, context.Canceled) {
			t.Errorf("insertion: %v", err)
		}
		checkInside(t, g, p)
	}
	if _, err := g.Insert(ending.After(context.Background(), 0), knntest.Points[float32]("gauss", 0, 2, 2)); !errors.Is(err, context.Canceled) {
		t.Errorf("insertion of nothing: %v", err)
	}
	if err := g.Delete(t.Context(), nil); err != nil {
		t.Errorf("deletion of nothing: %v", err)
	}
	insert(t, g, p, knntest.Points[float32]("gauss", 5, 2, 3))
	checkInside(t, g, p)
	got, err := g.Within(t.Context(), []int32{0}, slices.Repeat([]float64{math.Inf(1)}, g.Top()), 1)
	if err != nil || len(got) != len(p)-1 {
		t.Errorf("%d are within any distance, want %d (%v)", len(got), len(p)-1, err)
	}
}
