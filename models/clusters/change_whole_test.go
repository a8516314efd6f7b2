package clusters

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/testkit/ending"
	"unfold/internal/vec"
	"unfold/sparse/graph"
	"unfold/sparse/graph/live"
)

// TestOpen: each component of changed tree edges is asked about once. It is split into its parts
// below its level, and each part has the class of its points before.
func TestOpen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, r := loose(t)
		before := randomTree(r, l.Slots(nil), 40)
		l.before.kruskal(nil, before, l.Len(), l.graph.Top())
		fresh := slices.Clone(l.tree[:r.IntN(len(l.tree))+1])
		r.Shuffle(len(fresh), func(i, j int) { fresh[i], fresh[j] = fresh[j], fresh[i] })
		fresh = append(fresh, fresh[0], graph.Edge{I: l.tree[0].I, J: l.tree[0].J, Dist2: 1e9}) // one twice, and one outside the tree
		var want []asked
		type node struct {
			from  int
			level float64
		}
		seen := map[node]bool{}
		for _, e := range fresh {
			if e.Dist2 == 1e9 {
				continue
			}
			from := int(l.levels.place[e.I])
			to := from + 1
			for ; l.levels.height(from) <= e.Dist2; from-- {
			}
			for ; l.levels.height(to) <= e.Dist2; to++ {
			}
			if seen[node{from, e.Dist2}] {
				continue
			}
			seen[node{from, e.Dist2}] = true
			var all []parts
			for a := from; a < to; {
				b := a + 1
				for ; b < to && l.levels.height(b) < e.Dist2; b++ {
				}
				class := int(l.before.place[l.levels.order[a]])
				for ; l.before.height(class) < e.Dist2; class-- {
				}
				all = append(all, parts{int32(a), int32(b), int32(class)})
				a = b
			}
			want = l.ask(want, all, e.Dist2)
		}
		if got := l.open(fresh); !slices.Equal(got, want) {
			t.Fatalf("%+v are asked, want %+v", got, want)
		}
	})
}

// TestLiveCancelled: a change cancelled at any step has either not happened, or has reached the
// tree, too.
func TestLiveCancelled(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	rows := func(n int) vec.Matrix[float32] {
		x := vec.New[float32](n, 2)
		for i := range x.Data {
			x.Data[i] = float32(r.IntN(12))
		}
		return x
	}
	for _, start := range []int{4, 90} { // a change builds the tree of all points, or of the changed ones
		s, err := Settings{MinSize: 2, MinSamples: 2, Threads: 1}.Filled()
		if err != nil {
			t.Fatal(err)
		}
		l, err := newLive(2, s, live.Settings{Spare: -1})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Insert(t.Context(), rows(start)); err != nil {
			t.Fatal(err)
		}
		check := func(n int) {
			t.Helper()
			if l.Len() != n {
				t.Fatalf("%d points, want %d", l.Len(), n)
			}
			want, err := Find(t.Context(), l.Rows(), s)
			if err != nil {
				t.Fatal(err)
			}
			sameAsBatch(t, l, want)
		}
		x := rows(20)
		var came []int32
		for left := 0; ; left++ {
			if came, err = l.Insert(ending.After(t.Context(), left), x); err == nil {
				break
			}
			if came != nil {
				t.Fatalf("%v, and the slots %v", err, came)
			}
			check(start)
		}
		check(start + 20)
		for left := 0; ; left++ {
			if err = l.Delete(ending.After(t.Context(), left), came[:3]); err == nil {
				break
			}
			check(start + 20)
		}
		check(start + 17)
		if slots, err := l.Insert(t.Context(), rows(0)); err != nil || len(slots) != 0 {
			t.Errorf("no rows: %v, %v", slots, err)
		}
		if err := l.Delete(t.Context(), nil); err != nil {
			t.Error(err)
		}
		check(start + 17)
	}
}

// TestWhole: the tree is built from scratch if the number of old points is less than the length of
// a list, or less than the number of changed points.
func TestWhole(t *testing.T) {
	l, err := NewLive(1, Settings{MinSize: 5, MinSamples: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		stay, change int
		want         bool
	}{{spareNeighbors, 1, true}, {spareNeighbors + 1, 1, false}, {100, 100, true}, {100, 101, true}, {100, 99, false}} {
		if got := l.whole(c.stay, c.change); got != c.want {
			t.Errorf("%d stay, %d change: %v", c.stay, c.change, got)
		}
	}
	if l, err = NewLive(1, Settings{MinSize: 5, MinSamples: 30}); err != nil || l.graph.Settings().Lists != 30 || l.graph.Settings().Neighbors != 30 {
		t.Errorf("lists of %d, %v", l.graph.Settings().Lists, err)
	}
	x := vec.New[float32](6, 1)
	if _, err := l.Insert(t.Context(), x); err != nil || !slices.Equal(l.Slots([]int32{7}), []int32{7, 0, 1, 2, 3, 4, 5}) || l.Bytes() < 100 {
		t.Errorf("%v, %d bytes, %v", l.Slots(nil), l.Bytes(), err)
	}
}

// TestMeasure: core and inner distances are those of the m-th neighbour and the one before, or of
// all others if there are fewer. Empty slots have none.
func TestMeasure(t *testing.T) {
	for _, m := range []int{1, 2, 3, 9} {
		l, err := NewLive(1, Settings{MinSize: 2, MinSamples: m})
		if err != nil {
			t.Fatal(err)
		}
		slots, err := l.Insert(t.Context(), vec.Of(5, 1, []float32{0, 1, 3, 7, 15}))
		if err == nil {
			err = l.Delete(t.Context(), slots[2:3])
		}
		if err != nil {
			t.Fatal(err)
		}
		far := map[int32][]float64{0: {1, 49, 225}, 1: {1, 36, 196}, 3: {36, 49, 64}, 4: {64, 196, 225}}
		for slot := range int32(5) {
			d, there := far[slot]
			want, inner := -1.0, l.inner2[slot]
			if there {
				at := min(m, len(d)) - 1
				if want, inner = d[at], 0; at > 0 {
					inner = d[at-1]
				}
			}
			if l.core2[slot] != want || l.inner2[slot] != inner {
				t.Errorf("m = %d, slot %d: %v and %v, want %v and %v", m, slot, l.core2[slot], l.inner2[slot], want, inner)
			}
		}
		if l.was2[2] < 0 || l.was2[0] < 0 {
			t.Errorf("before there were five: %v", l.was2)
		}
		if err := l.Delete(t.Context(), []int32{0, 1, 3}); err != nil || l.core2[4] != -1 || l.inner2[4] != 0 || l.tree != nil {
			t.Errorf("one point: %v, %v, tree %v, %v", l.core2, l.inner2, l.tree, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("an order of other points is taken")
		}
	}()
	l, err := NewLive(1, Settings{MinSize: 2})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = l.ClustersOf([]int32{0})
}
