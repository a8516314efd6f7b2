package clusters

import (
	"cmp"
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

// half returns a Live whose lists have been updated by an insertion or a removal, but whose tree
// has not.
func half(t *rapid.T, came bool) (l *Live, slots []int32) {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
	s, err := Settings{MinSize: 2, MinSamples: rapid.IntRange(1, 4).Draw(t, "m"), Threads: 2}.Filled()
	if err != nil {
		t.Fatal(err)
	}
	if l, err = newLive(2, s, live.Settings{Spare: rapid.SampledFrom([]int{-1, 1, 6}).Draw(t, "spare")}); err != nil {
		t.Fatal(err)
	}
	width := rapid.SampledFrom([]int{3, 8, 1000}).Draw(t, "width")
	rows := func(n, from int) vec.Matrix[float32] {
		x := vec.New[float32](n, 2)
		for i := range x.Data {
			x.Data[i] = float32(from + r.IntN(width))
		}
		return x
	}
	before, err := l.Insert(context.Background(), rows(rapid.IntRange(8, 40).Draw(t, "points"), 0))
	if err == nil { // another group, and gaps among the slots
		_, err = l.Insert(context.Background(), rows(4, 3*width))
	}
	if err == nil {
		err = l.Delete(context.Background(), before[:3])
	}
	if err != nil {
		t.Fatal(err)
	}
	n := rapid.IntRange(1, 7).Draw(t, "change")
	if came {
		far := rapid.SampledFrom([]int{0, width, 5 * width}).Draw(t, "where")
		slots, err = l.graph.Insert(context.Background(), rows(n, far))
	} else {
		slots = l.Slots(nil)
		r.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
		slots = slots[:n]
		err = l.graph.Delete(context.Background(), slots)
	}
	if err != nil {
		t.Fatal(err)
	}
	l.measure()
	return l, slots
}

// known returns the pairs of a point's list that are shorter than a limit, in the order in which
// they are used. Pairs as long as its core distance come first, in list order; the others follow by
// length.
func known(l *Live, slot int32, limit float64) (out []graph.Edge) {
	index, dist2 := l.graph.Known(slot)
	for p, j := range index {
		if e := (graph.Edge{I: slot, J: j, Dist2: l.reach2(slot, j, dist2[p])}); e.Dist2 < limit {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b graph.Edge) int {
		if a.Dist2 == b.Dist2 && a.Dist2 == l.core2[slot] {
			return 0
		}
		return cmp.Or(cmp.Compare(a.Dist2, b.Dist2), cmp.Compare(a.J, b.J))
	})
	return out
}

// plainSpokes computes spokes by a plain loop.
func plainSpokes(l *Live, slot int32, limit float64, own []reached) (out []graph.Edge) {
	joined := slices.Clone(own)
	for _, e := range known(l, slot, limit) {
		if l.was2[e.J] >= 0 {
			at := l.levels.place[e.J]
			inside := false
			for _, r := range joined {
				inside = inside || at >= r.from && at < r.to
			}
			if inside {
				continue
			}
			from, to := at, at+1
			for ; l.levels.height(int(from)) <= e.Dist2; from-- {
			}
			for ; l.levels.height(int(to)) <= e.Dist2; to++ {
			}
			joined = append(joined, reached{from, to})
		}
		out = append(out, graph.Edge{I: min(slot, e.J), J: max(slot, e.J), Dist2: e.Dist2})
	}
	return out
}

// TestCame: the effects of new points on the tree. Edges are removed, new edges come from lists,
// some points have incomplete lists, and groups of new points without an edge to old points get
// one.
func TestCame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, slots := half(t, true)
		var kept, fell, fresh []graph.Edge
		for _, e := range l.tree {
			if now := l.edge(e.I, e.J); now.Dist2 < e.Dist2 {
				fell = append(fell, now)
			} else {
				kept = append(kept, e)
			}
		}
		for range 2 { // the memory is reused
			if k, f := l.lowered(); !slices.Equal(k, kept) || !slices.Equal(f, fell) {
				t.Fatalf("%v stay and %v fall, want %v and %v", k, f, kept, fell)
			}
		}
		var rows []int32
		for _, slot := range l.Slots(nil) {
			limit, upTo := l.was2[slot], math.Inf(1)
			if slices.Contains(slots, slot) {
				limit = math.Inf(1)
			}
			if index, dist2 := l.graph.Known(slot); len(index) < l.Len()-1 {
				upTo = dist2[len(dist2)-1]
			}
			if got := l.knownUpTo(slot); got != upTo {
				t.Fatalf("the list of %d says all up to %v, want %v", slot, got, upTo)
			}
			if l.core2[slot] >= limit {
				continue
			}
			fresh = append(fresh, plainSpokes(l, slot, limit, nil)...)
			if upTo < limit {
				rows = append(rows, slot)
			}
		}
		f, r := l.fell()
		if !slices.Equal(f, fresh) || !slices.Equal(r, rows) {
			t.Fatalf("new edges %v of %v, want %v of %v", f, r, fresh, rows)
		}
		for _, slot := range l.Slots(nil) {
			for _, limit := range []float64{l.core2[slot], l.core2[slot] + 1, 9, math.Inf(1)} {
				own := []reached{{0, int32(len(l.levels.order) / 3)}}
				if got, want := l.spokes(nil, slot, limit, own), plainSpokes(l, slot, limit, own); !slices.Equal(got, want) {
					t.Fatalf("edges of %d below %v: %v, want %v", slot, limit, got, want)
				}
			}
		}
		if got, want := l.anchors(fresh, slots), plainAnchors(l, fresh, slots); !slices.Equal(got, want) {
			t.Fatalf("anchors %v, want %v", got, want)
		}
		if got, want := l.anchors(nil, slots), plainAnchors(l, nil, slots); !slices.Equal(got, want) {
			t.Fatalf("anchors %v of points without edges, want %v", got, want)
		}
	})
}

// plainAnchors joins groups of new points by walking edges.
func plainAnchors(l *Live, edges []graph.Edge, slots []int32) (out []graph.Edge) {
	seen := map[int32]bool{}
	for _, slot := range slots {
		if seen[slot] {
			continue
		}
		seen[slot] = true
		group, old := []int32{slot}, false
		for k := 0; k < len(group); k++ {
			for _, e := range edges {
				for _, way := range [2][2]int32{{e.I, e.J}, {e.J, e.I}} {
					if way[0] != group[k] {
						continue
					}
					if !slices.Contains(slots, way[1]) {
						old = true
					} else if !seen[way[1]] {
						seen[way[1]] = true
						group = append(group, way[1])
					}
				}
			}
		}
		if slices.Sort(group); !old {
			out = append(out, l.bridge(group, l.levels.order))
		}
	}
	return out
}

// TestWent: after a deletion, the remaining edges and those across the gaps connect all points. The
// longest edge on the path between two points is as before.
func TestWent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, gone := half(t, false)
		was := slices.Clone(l.tree)
		for range 2 {
			tree, across := l.without(gone)
			var stay []graph.Edge
			for _, e := range was {
				if !slices.Contains(gone, e.I) && !slices.Contains(gone, e.J) {
					stay = append(stay, e)
				}
			}
			slots := l.Slots(nil)
			if !slices.Equal(tree, stay) || len(tree)+len(across) != len(slots)-1 {
				t.Fatalf("%v stay, want %v, with %d across for %d points", tree, stay, len(across), len(slots))
			}
			all := append(slices.Clone(tree), across...)
			for _, e := range all {
				if e.I >= e.J || slices.Contains(gone, e.I) || slices.Contains(gone, e.J) {
					t.Fatalf("%v, and %v are gone", e, gone)
				}
			}
			for _, i := range slots {
				if got, want := longest(all, slots[0], i), longest(was, slots[0], i); got != want {
					t.Fatalf("from %d to %d the longest edge is %v, was %v", slots[0], i, got, want)
				}
			}
		}
	})
}

// TestAsk: of parts of one class, all but the largest search for shorter edges, at the points that
// may have them.
func TestAsk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, r := loose(t)
		n := int32(l.Len())
		var all []parts
		for from := int32(0); from < n; {
			to := min(n, from+1+int32(r.IntN(6)))
			all = append(all, parts{from, to, int32(r.IntN(3))})
			from = to
		}
		level := l.core2[l.levels.order[r.IntN(int(n))]]
		var want []asked
		for class := range int32(3) {
			var of []parts
			for _, p := range all {
				if p.class == class {
					of = append(of, p)
				}
			}
			slices.SortStableFunc(of, func(a, b parts) int { return int((b.to - b.from) - (a.to - a.from)) })
			for _, p := range of[min(1, len(of)):] {
				for _, slot := range l.levels.order[p.from:p.to] {
					if l.core2[slot] < level {
						want = append(want, asked{slot: slot, level: level, own: reached{p.from, p.to}, from: 0, to: n})
					}
				}
			}
		}
		got := l.ask(nil, slices.Clone(all), level)
		if !slices.Equal(got, want) {
			t.Fatalf("%+v are asked, want %+v", got, want)
		}
		// Lists that are complete below the level answer for their points.
		var unknown []asked
		for _, a := range want {
			if l.knownUpTo(a.slot) < level {
				unknown = append(unknown, a)
			}
		}
		if left := l.unknown(slices.Clone(got)); !slices.Equal(left, unknown) {
			t.Fatalf("%+v are left, want %+v", left, unknown)
		}
		var listed []graph.Edge
		for _, a := range want {
			listed = append(listed, plainSpokes(l, a.slot, level, []reached{a.own})...)
		}
		if found := l.listed(got); !slices.Equal(found, listed) {
			t.Fatalf("lists have %v, want %v", found, listed)
		}
	})
}
