package clusters

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/snapshot"
	"unfold/sparse/distance"
	"unfold/sparse/graph"
	"unfold/sparse/graph/live"
)

// randomTree returns a spanning tree of n points, by no order of theirs, with lengths from few
// values.
func randomTree(r *rand.Rand, slots []int32, values int) []graph.Edge {
	var tree []graph.Edge
	for i := 1; i < len(slots); i++ {
		a, b := slots[i], slots[r.IntN(i)]
		tree = append(tree, graph.Edge{I: min(a, b), J: max(a, b), Dist2: float64(1 + r.IntN(values))})
	}
	return tree
}

// longest returns the longest edge on the way between two slots of a tree, by walking it.
func longest(tree []graph.Edge, from, to int32) float64 {
	most := map[int32]float64{from: 0}
	for range tree {
		for _, e := range tree {
			a, aKnown := most[e.I]
			b, bKnown := most[e.J]
			switch {
			case aKnown && !bKnown:
				most[e.J] = max(a, e.Dist2)
			case bKnown && !aKnown:
				most[e.I] = max(b, e.Dist2)
			}
		}
	}
	return most[to]
}

// TestLevels: the tree of Kruskal is the shortest of all edges, ways have their longest edges, and the
// components of a place at any level are those of the heights between places.
func TestLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		v := &levels{}
		for range 3 { // the memory is used again
			n := rapid.IntRange(1, 20).Draw(t, "n")
			slots := make([]int32, n)
			for i := range slots {
				slots[i] = int32(i + r.IntN(3)*(i/4))
				if i > 0 {
					slots[i] = max(slots[i], slots[i-1]+1)
				}
			}
			top := int(slots[n-1]) + 1 + r.IntN(3)
			values := rapid.SampledFrom([]int{2, 5, 1000}).Draw(t, "values")
			tree, more := randomTree(r, slots, values), randomTree(r, slots, values)
			slices.SortFunc(tree, graph.Edge.Compare)
			before := slices.Clone(tree)
			out := slices.Clone(v.kruskal(tree, more, n, top))
			all := append(slices.Clone(tree), more...)
			slices.SortStableFunc(all, shorterFirst)
			var lengths []float64
			forest := graph.NewForest(top)
			for _, e := range all {
				if forest.Union(e.I, e.J) {
					lengths = append(lengths, e.Dist2)
				}
			}
			got := make([]float64, len(out))
			for i, e := range out {
				got[i] = e.Dist2
				if !slices.Contains(all, e) {
					t.Fatalf("%v is in no list", e)
				}
			}
			if !slices.Equal(got, lengths) || !slices.Equal(tree, before) {
				t.Fatalf("a tree of %v, want %v", got, lengths)
			}
			if order := slices.Sorted(slices.Values(v.order)); !slices.Equal(order, slots) {
				t.Fatalf("the order is %v of %v", v.order, slots)
			}
			for k, slot := range v.order {
				if v.place[slot] != int32(k) {
					t.Fatalf("slot %d is at %d, its place is %d", slot, k, v.place[slot])
				}
			}
			checkPlaces(t, v, out, n)
		}
	})
}

// checkPlaces compares ways and components with those of the tree.
func checkPlaces(t *rapid.T, v *levels, tree []graph.Edge, n int) {
	if !math.IsInf(v.height(0), 1) || !math.IsInf(v.height(n), 1) {
		t.Fatalf("the heights at the ends are %v and %v", v.height(0), v.height(n))
	}
	for a, i := range v.order {
		for b, j := range v.order {
			want := longest(tree, i, j)
			if got := v.pathMost(i, j); got != want {
				t.Fatalf("the longest edge from %d to %d is %v, want %v", i, j, got, want)
			}
			if b == a+1 && v.height(b) != want {
				t.Fatalf("between places %d and %d is %v, want %v", a, b, v.height(b), want)
			}
		}
		for _, level := range []float64{0, 0.5, 1, 2, 3, 500, 1001} {
			from, to, upFrom, upTo := a, a+1, a, a+1
			for ; from > 0 && v.height(from) < level; from-- {
			}
			for ; to < n && v.height(to) < level; to++ {
			}
			for ; upFrom > 0 && v.height(upFrom) <= level; upFrom-- {
			}
			for ; upTo < n && v.height(upTo) <= level; upTo++ {
			}
			if f, e := v.below(a, level); f != from || e != to || v.after(a, level) != to {
				t.Fatalf("below %v place %d is in %d..%d, want %d..%d", level, a, f, e, from, to)
			}
			if first := v.order[from]; first != slices.Min(v.order[from:to]) {
				t.Fatalf("below %v places %d..%d begin with slot %d of %v", level, from, to, first, v.order[from:to])
			}
			if f, e := v.upTo(a, level); f != upFrom || e != upTo {
				t.Fatalf("up to %v place %d is in %d..%d, want %d..%d", level, a, f, e, upFrom, upTo)
			}
		}
	}
}

// TestKruskalMemory: a tree is valid until the call after the next, whose memory is its own, and among
// equally long edges those of the tree before stay.
func TestKruskalMemory(t *testing.T) {
	v := &levels{}
	tree := []graph.Edge{{I: 0, J: 1, Dist2: 1}, {I: 1, J: 2, Dist2: 1}}
	fresh := []graph.Edge{{I: 0, J: 2, Dist2: 1}}
	first := v.kruskal(tree, fresh, 3, 3)
	if !slices.Equal(first, tree) {
		t.Errorf("the tree becomes %v", first)
	}
	second := v.kruskal(first, nil, 3, 3)
	third := v.kruskal(second, nil, 3, 3)
	if !slices.Equal(third, tree) || !slices.Equal(second, tree) || &first[0] == &second[0] || &first[0] != &third[0] {
		t.Errorf("trees %v and %v, in memory of the one before: %v, before that: %v", second, third, &first[0] == &second[0], &first[0] == &third[0])
	}
}

// TestKruskalNeedsAllPoints: edges that leave points apart are a mistake of the caller's.
func TestKruskalNeedsAllPoints(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	(&levels{}).kruskal([]graph.Edge{{I: 0, J: 1, Dist2: 1}}, nil, 3, 3)
}

// loose is a Live whose tree is not the shortest: of random edges, at their true lengths.
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

// TestTogether: a search of some points bounds the other ends by the longest edges on the way, and finds
// all pairs in its ranges that are shorter, but for those in lists.
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

// TestShorter: blocks of many asks find what each finds by itself.
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

// nearestOfAll is nearest by measuring all.
func nearestOfAll(l *Live, slot int32, others []int32) (best graph.Edge, other int32) {
	best.Dist2 = math.Inf(1)
	for _, j := range others {
		if e := l.edge(slot, j); e.Dist2 < best.Dist2 {
			best, other = e, j
		}
	}
	return best, other
}

// TestBridge: the nearest of others is the first of all nearest ones, and a bridge goes to and fro between
// two groups until it becomes no shorter.
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
	// Of more points than one task has, the first of equal ones.
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

// TestBridges: parts of many asks get a bridge to what is around them, if that is shorter than their level;
// each run of asks of one part and level by itself.
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
	from, to := v.below(place, 100) // the hundred points on the side of the first
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
	half := reached{int32(from), int32(from + 70)} // whose bridge goes to the rest of its side
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

// TestBoxes: boxes bound the rows that they hold tightly, name the component of all their rows, and a
// search in them finds a shortest edge to another component.
func TestBoxes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		n, dim := rapid.IntRange(1, 200).Draw(rt, "rows"), rapid.IntRange(1, 4).Draw(rt, "columns")
		x, core2, label := scattered(r, n, dim), make([]float64, n), make([]int32, n)
		groups := rapid.IntRange(1, 3).Draw(rt, "components")
		for i := range core2 {
			core2[i] = r.Float64() * 3
			label[i] = int32(i * groups / n)
		}
		d := rapid.SampledFrom([]distance.Distance{distance.Euclidean, distance.Manhattan, distance.Chebyshev}).Draw(rt, "distance")
		b := newBoxes(d, x, core2, 1)
		b.join(label)
		q := scattered(r, 1, dim).Row(0)
		for v := range b.from {
			rows := b.order[b.from[v]:b.to[v]]
			least, component := math.Inf(1), label[rows[0]]
			low, high := slices.Repeat([]float64{math.Inf(1)}, dim), slices.Repeat([]float64{math.Inf(-1)}, dim)
			nearest := math.Inf(1)
			for _, i := range rows {
				least = min(least, core2[i])
				if label[i] != component {
					component = -1
				}
				for k, value := range x.Row(int(i)) {
					low[k], high[k] = min(low[k], value), max(high[k], value)
				}
				nearest = min(nearest, distance.Between(d, q, x.Row(int(i))))
			}
			if b.least[v] != least || b.component[v] != component || !slices.Equal(b.low[v*dim:][:dim], low) || !slices.Equal(b.high[v*dim:][:dim], high) {
				rt.Fatalf("box %d of %v: from %v to %v, core %v, component %d", v, rows, b.low[v*dim:][:dim], b.high[v*dim:][:dim], b.least[v], b.component[v])
			}
			corner := make([]float64, dim) // the nearest point of the box
			for k, at := range q {
				corner[k] = min(max(at, low[k]), high[k])
			}
			if away := b.away2(q, int32(v)); !closeTo(away, distance.Between(d, q, corner), 1e-6) || away > nearest*(1+1e-6) {
				rt.Fatalf("box %d is %v away, its nearest row %v", v, away, nearest)
			}
			if (b.right[v] == 0) != (len(rows) <= boxRows) {
				rt.Fatalf("box %d of %d rows has halves: %v", v, len(rows), b.right[v] > 0)
			}
			if pieces := (len(rows) + boxRows - 1) / boxRows; pieces > 1 { // as rows are ordered, which is what makes boxes small
				if r, middle := b.right[v], b.from[v]+int32((pieces+1)/2*boxRows); b.from[v+1] != b.from[v] || b.to[v+1] != middle || b.from[r] != middle || b.to[r] != b.to[v] {
					rt.Fatalf("box %d of %d rows has halves of %d and %d", v, len(rows), b.to[v+1]-b.from[v+1], b.to[r]-b.from[r])
				}
			}
		}
		for i := range int32(n) {
			want := math.Inf(1)
			for j := range int32(n) {
				if label[j] != label[i] {
					want = min(want, max(core2[i], core2[j], distance.Between(d, x.Row(int(i)), x.Row(int(j)))))
				}
			}
			for _, known := range []float64{math.Inf(1), want, want * 1.5} {
				a := &ask[float64]{boxes: b, label: label, i: i, row: x.Row(int(i)), near: -1, r2: known}
				a.visit(0, a.bound(0))
				if (a.near >= 0) != (want < known) || a.near >= 0 && (a.r2 != want || label[a.near] == label[i]) || a.near < 0 && a.r2 != known {
					rt.Fatalf("point %d has an edge of %v to %d, want %v below %v", i, a.r2, a.near, want, known)
				}
			}
		}
	})
}

// TestBoxesStayClosed: a search opens no box whose rows are in the asking point's component or can be no
// nearer than what is known, and of two boxes looks into the nearer one first. A box that is opened here
// names a half that is not there, and panics.
func TestBoxesStayClosed(t *testing.T) {
	const closed = 1 << 30
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		n, dim := rapid.IntRange(2, 120).Draw(rt, "rows"), rapid.IntRange(1, 3).Draw(rt, "columns")
		x, core2, label := scattered(r, n, dim), make([]float64, n), make([]int32, n)
		for i := range n {
			label[i] = int32(2 * i / n)
		}
		if rapid.Bool().Draw(rt, "apart") { // so that boxes are of one component
			for i := range n {
				x.Row(i)[0] += float64(1000 * label[i])
			}
		}
		b := newBoxes(distance.Euclidean, x, core2, 1)
		b.join(label)
		right := slices.Clone(b.right)
		search := func(i int32, known float64) *ask[float64] {
			a := &ask[float64]{boxes: b, label: label, i: i, row: x.Row(int(i)), near: -1, r2: known}
			a.visit(0, a.bound(0))
			return a
		}
		for i := range int32(n) {
			copy(b.right, right)
			want := search(i, math.Inf(1)).r2
			bounds := make([]float64, len(right))
			for v := range bounds {
				bounds[v] = (&ask[float64]{boxes: b, i: i, row: x.Row(int(i))}).bound(int32(v))
			}
			for _, known := range []float64{math.Inf(1), want, bounds[0], bounds[len(bounds)-1]} {
				for v := range right {
					if b.right[v] = right[v]; b.component[v] == label[i] || bounds[v] >= known {
						b.right[v] = closed
					}
				}
				if got := search(i, known); got.r2 != min(want, known) {
					rt.Fatalf("point %d has an edge of %v, want %v", i, got.r2, min(want, known))
				}
			}
			if len(right) != 3 {
				continue
			}
			copy(b.right, right)
			near, far := int32(1), right[0]
			if bounds[far] < bounds[near] {
				near, far = far, near
			}
			inNear := slices.ContainsFunc(b.order[b.from[near]:b.to[near]], func(j int32) bool {
				return label[j] != label[i] && distance.Between(distance.Euclidean, x.Row(int(i)), x.Row(int(j))) == want
			})
			if inNear && bounds[near] < bounds[far] && bounds[far] >= want {
				b.right[far] = closed
				search(i, math.Inf(1))
			}
			copy(b.right, right)
			q := slices.Clone(x.Row(int(i)))
			q[0] -= 0.5
			first := b.nearest(nil, q, 1, 0, 0)
			one, other := b.away2(q, 1), b.away2(q, right[0])
			if near, far = 1, right[0]; other < one {
				near, far, one, other = far, near, other, one
			}
			if one < other && other > first[0].dist2 {
				b.right[far] = closed
				if got := b.nearest(nil, q, 1, 0, 0); !slices.Equal(got, first) {
					rt.Fatalf("%v, want %v", got, first)
				}
			}
		}
	})
}

// TestBoxed: rows of up to so many columns are searched by boxes, sets never.
func TestBoxed(t *testing.T) {
	for d, want := range map[distance.Distance]bool{distance.Euclidean: true, distance.Manhattan: true, distance.Chebyshev: true, distance.Jaccard: false} {
		if boxed(d, 1) != want || boxed(d, boxedColumns) != want || boxed(d, boxedColumns+1) {
			t.Errorf("%v: %v of one column, %v and %v about the limit", d, boxed(d, 1), boxed(d, boxedColumns), boxed(d, boxedColumns+1))
		}
	}
}

// TestNearestAdd: lists of neighbours keep the first k by distance and row.
func TestNearestAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 5).Draw(t, "k")
		var got, all nearest
		for i := range int32(rapid.IntRange(0, 12).Draw(t, "n")) {
			e := neighbor{(i * 7) % 13, float64(rapid.IntRange(0, 3).Draw(t, "distance"))}
			got, all = got.add(e, k), append(all, e)
		}
		slices.SortFunc(all, func(a, b neighbor) int {
			if a.before(b) {
				return -1
			}
			return 1
		})
		if !slices.Equal(got, all[:min(k, len(all))]) {
			t.Fatalf("%v, want the first %d of %v", got, k, all)
		}
	})
}

// TestHierarchyRefused: parts that fit each other in no hierarchy are refused by name.
func TestHierarchyRefused(t *testing.T) {
	part := func(name string, cols int, data ...float64) snapshot.Part {
		return snapshot.Part{Name: name, Rows: len(data) / cols, Cols: cols, Data: data}
	}
	whole := func(name string, cols int, data ...uint32) snapshot.Part {
		return snapshot.Part{Name: name, Rows: len(data) / cols, Cols: cols, Data: data}
	}
	for _, c := range []struct {
		points, tree, death []float64
		of, above           []uint32
		want                string
	}{
		{points: []float64{0, 1, 0, 2}, of: []uint32{0, 1}, tree: []float64{0, 2, 1, 2}, above: []uint32{0, 0, 1, 1}, death: []float64{3, 2}},
		{points: nil, of: nil, tree: []float64{0, 2}, above: []uint32{0, 0}, death: []float64{3}, want: "there are no points"},
		{points: []float64{0, 1}, of: []uint32{0}, tree: []float64{0, 2, 1, 2}, above: []uint32{0, 0}, death: []float64{3}, want: "2 clusters of the tree, of which 1 are in others"},
		{points: []float64{0, 1}, of: []uint32{0}, tree: []float64{0, 2}, above: []uint32{0, 0}, death: []float64{0.5}, want: "m = 0.5"},
		{points: []float64{0, 1}, of: []uint32{0}, tree: []float64{0, 2}, above: []uint32{0, 0}, death: []float64{1}},
		{points: []float64{0, 1}, of: []uint32{0}, tree: []float64{0, 2}, above: []uint32{0, 0}, death: []float64{math.MaxInt32}},
		{points: []float64{0, 1}, of: []uint32{0}, tree: []float64{0, 2}, above: []uint32{0, 0}, death: []float64{math.MaxInt32 + 1}, want: "m = 2.147483648e+09"},
		{points: []float64{0, 1}, of: []uint32{1}, tree: []float64{0, 2}, above: []uint32{0, 0}, death: []float64{1}, want: "point 0 has cluster of the tree 1 of 1"},
		{points: []float64{0, 1}, of: []uint32{0}, tree: []float64{0, 2, 1, 2}, above: []uint32{0, 0, 0, 0}, death: []float64{1}, want: "cluster 1 of the tree is in none"},
		{points: []float64{0, 1}, of: []uint32{0}, tree: []float64{0, 2, 1, 2}, above: []uint32{0, 0, 2, 0}, death: []float64{1}, want: "cluster of the tree 1 has one above 2 of 2"},
		{points: []float64{0, 1}, of: []uint32{0}, tree: []float64{0, 2}, above: []uint32{1, 0}, death: []float64{1}, want: "cluster of the tree 0 has one above 1 of 1"},
		{points: []float64{0, 1}, of: []uint32{0}, tree: []float64{0, 2}, above: []uint32{0, 1}, death: []float64{1}, want: "cluster of the tree 0 has cluster 1 of 1"},
	} {
		s := &snapshot.Snapshot{Mu: vec.New[float64](len(c.points)/2, 2), Parts: []snapshot.Part{
			part(partPoints, 2, c.points...), whole(partLeaf, 1, c.of...), part(partTree, 2, c.tree...), whole(partAbove, 2, c.above...), part(partDeath, 1, c.death...),
		}}
		h, err := HierarchyOf(s)
		if c.want == "" {
			if err != nil || h.MinSamples != int(c.death[0]) || len(h.Of) != len(c.of) || len(h.Death) != len(c.death)-1 {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		if !models.IsBadInput(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestRowBytes: rows take more the more neighbours are looked at, and nothing by settings that are
// refused.
func TestRowBytes(t *testing.T) {
	for _, c := range []struct {
		dim, want int
		s         Settings
	}{
		{0, 12*50 + 160, Settings{}}, {10, 12*50 + 80 + 160, Settings{}}, {3, 12*16 + 24 + 160, Settings{MinSize: 5}},
		{3, 12*30 + 24 + 160, Settings{MinSize: 5, MinSamples: 30}}, {3, 0, Settings{MinSize: 1}},
	} {
		if got := RowBytes(c.dim, c.s); got != c.want {
			t.Errorf("%d columns, %+v: %d bytes, want %d", c.dim, c.s, got, c.want)
		}
	}
}

// TestSettingsEdges: the least and largest values that are taken.
func TestSettingsEdges(t *testing.T) {
	for _, c := range []struct {
		s    Settings
		want string
	}{
		{Settings{MinSize: 2, MinSamples: 1, Selection: Leaf, Epsilon: 1e300, Recall: 1e-9}, ""}, {Settings{Epsilon: math.Inf(1)}, "epsilon"},
		{Settings{Epsilon: -1}, "epsilon"}, {Settings{Recall: -0.5}, "recall"}, {Settings{Recall: 1.0000001}, "recall"}, {Settings{MinSize: 1}, "min_size"},
		{Settings{MinSamples: -1}, "min_samples"},
	} {
		if _, err := c.s.Filled(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.s, err, c.want)
		}
	}
}

// TestDuplicatesPersist: clusters of equal points last for ever, and none of these is an outlier.
func TestDuplicatesPersist(t *testing.T) {
	x := vec.New[float32](31, 1)
	for i := range x.Data {
		x.Data[i] = float32(i % 2 * 5)
	}
	x.Data[30] = 40
	c, err := Find(t.Context(), x, Settings{MinSize: 5, MinSamples: 3})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Persistence, []float64{1, 1}) || !slices.Equal(c.Size, []int{15, 15}) || c.Label[30] != Noise {
		t.Errorf("persistence %v of %v, the last is in %d", c.Persistence, c.Size, c.Label[30])
	}
	for i := range 30 {
		if c.Label[i] != int32(i%2) || c.Probability[i] != 1 || c.Outlier[i] != 0 {
			t.Errorf("point %d is in %d with %v, an outlier by %v", i, c.Label[i], c.Probability[i], c.Outlier[i])
		}
	}
	if c.Probability[30] != 0 || c.Outlier[30] < 0.9 {
		t.Errorf("the last point has %v, and is an outlier by %v", c.Probability[30], c.Outlier[30])
	}
	for _, v := range []struct{ lambda, most, want float64 }{{0, 0, 1}, {3, 0, 1}, {math.Inf(1), 2, 1}, {math.Inf(1), math.Inf(1), 1}, {1, 4, 0.25}, {9, 4, 1}, {0, 4, 0}} {
		if got := share(v.lambda, v.most); got != v.want {
			t.Errorf("the share of %v of %v is %v", v.lambda, v.most, got)
		}
	}
}

// TestTreeByHand: stabilities, deaths and last lambdas of a small tree, and what is chosen of it.
func TestTreeByHand(t *testing.T) {
	// The root falls into 1 and 2 at lambda 1, and 2 into 3 and 4 at 2.
	tree := &Tree{Parent: []int32{-1, 0, 0, 2, 2}, Birth: []float64{0, 1, 1, 2, 2}, Size: []int32{9, 3, 5, 2, 2},
		Of: []int32{0, 1, 1, 1, 2, 3, 3, 4, 4}, Lambda: []float64{0.5, 2, 3, 4, 1.5, 3, 3, 2.5, 5}}
	if got := tree.stability(); !slices.Equal(got, []float64{0.5 + 3 + 5, 6, 0.5 + 2 + 2, 2, 3.5}) {
		t.Errorf("stability %v", got)
	}
	if got := tree.deaths(); !slices.Equal(got, []float64{1, 4, 2, 3, 5}) {
		t.Errorf("deaths %v", got)
	}
	if got := tree.last(); !slices.Equal(got, []float64{5, 4, 5, 3, 5}) {
		t.Errorf("last %v", got)
	}
	for _, c := range []struct {
		name   string
		s      Settings
		weight []float64
		want   []int32
	}{
		{"most mass", Settings{}, nil, []int32{1, 3, 4}}, {"equal mass", Settings{}, []float64{1, 1, 5.5 / 4.5, 1, 1}, []int32{1, 2}}, {"weighed", Settings{}, []float64{1, 1, 2, 1, 1}, []int32{1, 2}},
		{"leaves", Settings{Selection: Leaf}, nil, []int32{1, 3, 4}}, {"leaves, weighed", Settings{Selection: Leaf}, []float64{1, 1, 9, 1, 1}, []int32{1, 3, 4}},
		{"below 0.6", Settings{Epsilon: 0.6}, nil, []int32{1, 2}}, {"below 0.5", Settings{Epsilon: 0.5}, nil, []int32{1, 3, 4}}, {"below 3", Settings{Epsilon: 3}, nil, []int32{1, 2}},
	} {
		chosen := tree.choose(c.s, c.weight)
		var got []int32
		for v, is := range chosen {
			if is {
				got = append(got, int32(v))
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		around := tree.around(chosen)
		for v := range around {
			want := Noise
			for at := int32(v); at >= 0; at = tree.Parent[at] {
				if chosen[at] {
					want = at
				}
			}
			if around[v] != want {
				t.Errorf("%s: cluster %d is in %d, want %d", c.name, v, around[v], want)
			}
		}
	}
}

// TestJoinedByHand: which of its neighbours a new point joins, and where that puts it in the tree.
func TestJoinedByHand(t *testing.T) {
	h := &Hierarchy{MinSamples: 2, Inner2: []float64{1, 1, 16, 1}, Of: []int32{1, 2, 2, 0, 1}, Lambda: []float64{0.5, 2, 3, 0.1, 0.25}, Parent: []int32{-1, 0, 1}, Birth: []float64{0, 0.25, 1}}
	for _, c := range []struct {
		near   nearest
		best   int32
		lambda float64
	}{
		{nearest{{0, 4}, {1, 4}, {3, 9}}, 0, 1. / 3}, {nearest{{2, 1}, {1, 4}, {3, 9}, {0, 16}}, 1, 1. / 3}, {nearest{{2, 1}, {1, 2}, {0, 4}}, 1, 0.5}, {nearest{{2, 1}}, 2, 0.25}, {nearest{{1, 0}, {0, 0}, {3, 0}}, 1, 1},
	} {
		if best, lambda := h.joined(c.near); best != c.best || lambda != c.lambda {
			t.Errorf("%v: it joins %d at %v, want %d at %v", c.near, best, lambda, c.best, c.lambda)
		}
	}
	for _, c := range []struct {
		point  int32
		lambda float64
		want   place
	}{
		{1, 5, place{2, 2}}, {1, 2, place{2, 2}}, {1, 1.5, place{2, 1.5}}, {1, 1, place{1, 1}}, {1, 0.5, place{1, 0.5}}, {1, 0.25, place{0, 0.25}}, {1, 0.1, place{0, 0.1}}, {0, 0.5, place{1, 0.5}}, {3, 0.05, place{0, 0.05}}, {3, 0, place{0, 0}}, {4, 0.25, place{1, 0.25}}, {4, 0.5, place{1, 0.25}}, {4, 0.2, place{0, 0.2}},
	} {
		if got := h.place(c.point, c.lambda); got != c.want {
			t.Errorf("point %d at %v: %+v, want %+v", c.point, c.lambda, got, c.want)
		}
	}
}
