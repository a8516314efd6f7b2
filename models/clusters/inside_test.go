package clusters

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/sparse/graph"
	"unfold/sparse/graph/live"
)

// loose returns a Live whose tree is not minimal: it has random edges with their true lengths.
func loose(t *rapid.T) (*Live, *rand.Rand) {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
	s, err := Settings{MinSize: 2, MinSamples: rapid.IntRange(1, 3).Draw(t, "m"), Threads: 1}.Filled()
	if err != nil {
		t.Fatal(err)
	}
	l, err := newLive(2, s, live.Settings{Spare: rapid.SampledFrom([]int{-1, 2}).Draw(t, "spare")})
	if err != nil {
		t.Fatal(err)
	}
	x := vec.New[float32](rapid.IntRange(6, 40).Draw(t, "points"), 2)
	width := rapid.SampledFrom([]int{4, 1000}).Draw(t, "width")
	for i := range x.Data {
		x.Data[i] = float32(r.IntN(width))
	}
	slots, err := l.Insert(context.Background(), x)
	if err == nil {
		r.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
		err = l.Delete(context.Background(), slots[:len(slots)/6])
	}
	if err != nil {
		t.Fatal(err)
	}
	slots = slots[len(slots)/6:]
	l.measure()
	tree := randomTree(r, slots, 2)
	for k, e := range tree {
		tree[k] = l.edge(e.I, e.J)
	}
	l.tree = l.levels.kruskal(nil, tree, len(slots), l.graph.Top())
	return l, r
}

// TestTogether: a search for several points bounds the distance of other ends by the longest edge
// on the path. It finds all shorter pairs in its ranges, except pairs in lists.
func TestTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, r := loose(t)
		v, n := &l.levels, l.Len()
		w := &askBlock{}
		for range 3 {
			var asks []asked
			for k := r.IntN(n); k < n && len(asks) < 4; k += r.IntN(4) {
				from := r.IntN(k + 1)
				asks = append(asks, asked{slot: v.order[k], from: int32(from), to: int32(k + 1 + r.IntN(n-k))})
			}
			found, err := l.together(t.Context(), w, asks)
			if err != nil {
				t.Fatal(err)
			}
			first, last := int(v.place[asks[0].slot]), int(v.place[asks[len(asks)-1].slot])
			from, to, least := n, 0, math.Inf(1)
			var slots []int32
			for _, a := range asks {
				from, to = min(from, int(a.from)), max(to, int(a.to))
				least = min(least, max(l.core2[a.slot], l.knownUpTo(a.slot)))
				slots = append(slots, a.slot)
			}
			if slots = slices.Compact(slots); !slices.Equal(w.slots, slots) {
				t.Fatalf("%v are searched, want %v", w.slots, slots)
			}
			reach := slices.Repeat([]float64{-1}, l.graph.Top())
			for k, slot := range v.order {
				most := 0.0
				for at := min(k, first) + 1; at <= max(k, last); at++ {
					most = max(most, v.height(at))
				}
				if (k >= from && k < to || k >= first && k <= last) && most > max(least, l.core2[slot]) {
					reach[slot] = most
				}
			}
			if !slices.Equal(w.reach, reach) {
				t.Fatalf("bounds %v, want %v", w.reach, reach)
			}
			for _, a := range asks {
				for k, j := range v.order {
					e := l.edge(a.slot, j)
					d2 := vec.SquaredDistance(l.Row(a.slot), l.Row(j))
					if j != a.slot && k >= int(a.from) && k < int(a.to) && e.Dist2 < v.pathMost(e.I, e.J) && d2 > l.knownUpTo(a.slot) && !slices.Contains(found, e) {
						t.Fatalf("%v is not found, known up to %v", e, l.knownUpTo(a.slot))
					}
				}
			}
			for _, e := range found {
				if e != l.edge(e.I, e.J) || e.Dist2 >= v.pathMost(e.I, e.J) || !slices.Contains(slots, e.I) && !slices.Contains(slots, e.J) {
					t.Fatalf("%v is found, the tree has %v", e, v.pathMost(e.I, e.J))
				}
			}
		}
	})
}

// TestShorter: a block of many queries finds the same as each query alone.
func TestShorter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, r := loose(t)
		var asks []asked
		want := map[graph.Edge]bool{}
		for range rapid.IntRange(0, 120).Draw(t, "asks") {
			a := asked{slot: l.levels.order[r.IntN(l.Len())], to: int32(l.Len())}
			asks = append(asks, a)
			found, err := l.together(t.Context(), &askBlock{}, []asked{a})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range found {
				want[e] = true
			}
		}
		found, err := l.shorter(t.Context(), asks)
		if err != nil {
			t.Fatal(err)
		}
		got := map[graph.Edge]bool{}
		for _, e := range found {
			got[e] = true
		}
		for e := range want {
			if !got[e] {
				t.Fatalf("%v is not found together", e)
			}
		}
	})
	l, err := NewLive(1, Settings{MinSize: 2})
	if err != nil {
		t.Fatal(err)
	}
	x := vec.Of(80, 1, slices.Repeat([]float32{1, 2, 3, 5}, 20))
	if _, err := l.Insert(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.shorter(ctx, []asked{{slot: 3, to: 80}}); err == nil {
		t.Error("no error of a cancelled context")
	}
	if err := l.search(ctx, []asked{{slot: 3, to: 80}}); err == nil {
		t.Error("no error of a cancelled search")
	}
}

// nearestOfAll computes nearest from all distances.
func nearestOfAll(l *Live, slot int32, others []int32) (best graph.Edge, other int32) {
	best.Dist2 = math.Inf(1)
	for _, j := range others {
		if e := l.edge(slot, j); e.Dist2 < best.Dist2 {
			best, other = e, j
		}
	}
	return best, other
}

// TestBridge: the nearest point is the first of several equally near ones. A bridge alternates
// between two groups until it gets no shorter.
func TestBridge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, r := loose(t)
		order := l.levels.order
		cut := 1 + r.IntN(len(order)-1)
		a, b := order[:cut], order[cut:]
		for _, slot := range a {
			want, end := nearestOfAll(l, slot, b)
			if e, other := l.nearest(slot, b); e != want || other != end {
				t.Fatalf("from %d the nearest is %v, %d, want %v, %d", slot, e, other, want, end)
			}
		}
		at, from, to := a[0], a, b
		want := graph.Edge{Dist2: math.Inf(1)}
		for {
			e, end := nearestOfAll(l, at, to)
			if e.Dist2 >= want.Dist2 {
				break
			}
			want, at, from, to = e, end, to, from
		}
		if e := l.bridge(a, b); e != want {
			t.Fatalf("the bridge is %v, want %v", e, want)
		}
	})
	// With more points than one task takes, the first of equally near ones is found.
	l, err := NewLive(1, Settings{MinSize: 2})
	if err != nil {
		t.Fatal(err)
	}
	x := vec.New[float32](2*measureTogether+60, 1)
	for i := range x.Data {
		x.Data[i] = float32(i % 97)
	}
	slots, err := l.Insert(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	for _, slot := range []int32{0, 50, 8000} {
		want, end := nearestOfAll(l, slot, slots[100:])
		if e, other := l.nearest(slot, slots[100:]); e != want || other != end {
			t.Errorf("from %d the nearest is %v, %d, want %v, %d", slot, e, other, want, end)
		}
	}
}

// TestBridges: parts with many queries get a bridge to their surroundings if it is shorter than
// their level. Each run of queries of one part and level is handled by itself.
func TestBridges(t *testing.T) {
	l, err := NewLive(1, Settings{MinSize: 2, MinSamples: 1})
	if err != nil {
		t.Fatal(err)
	}
	x := vec.New[float32](200, 1)
	for i := range x.Data {
		x.Data[i] = float32(i)
		if i >= 100 {
			x.Data[i] += 50
		}
	}
	if _, err := l.Insert(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	v := &l.levels
	place := int(v.place[0])
	from, to := v.below(place, 100) // the hundred points on the first one's side
	if to-from != 100 {
		t.Fatalf("the first point is with %d others", to-from)
	}
	asks := func(n int, level float64, own reached) (out []asked) {
		for k := range n {
			out = append(out, asked{slot: v.order[int(own.from)+k], level: level, own: own, to: 200})
		}
		return out
	}
	side := reached{int32(from), int32(to)}
	half := reached{int32(from), int32(from + 70)} // its bridge leads to the rest of its side
	want := graph.Edge{I: 99, J: 100, Dist2: 51 * 51}
	for _, c := range []struct {
		name string
		asks []asked
		want int
	}{
		{"enough", asks(manyAsked, 51*51+1, side), 1}, {"too few", asks(manyAsked-1, 51*51+1, side), 0}, {"not shorter", asks(manyAsked, 51*51, side), 0}, {"none", nil, 0},
		{"two levels, too few of each", slices.Concat(asks(40, 51*51+1, side), asks(40, 51*51+2, side)), 0},
		{"two parts, too few of each", slices.Concat(asks(40, 51*51+1, side), asks(40, 51*51+1, half)), 0},
		{"two parts", slices.Concat(asks(64, 51*51+1, side), asks(64, 51*51+1, half)), 2},
	} {
		found := l.bridges(c.asks)
		if len(found) != c.want || c.want > 0 && found[0] != want || c.want > 1 && found[1].Dist2 != 1 {
			t.Errorf("%s: %v", c.name, found)
		}
	}
}
