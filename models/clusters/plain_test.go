package clusters

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// TestLinkage: the hierarchy of a tree equals joining, level by level, all components connected by
// edges of one length.
func TestLinkage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 6))
		n := rapid.IntRange(1, 25).Draw(t, "n")
		points := make([]int32, n)
		for i := range points {
			points[i] = int32(i)
		}
		tree := randomTree(r, points, rapid.SampledFrom([]int{1, 3, 1000}).Draw(t, "values"))
		before := slices.Clone(tree)
		l := link(n, tree, Together)
		if !slices.Equal(tree, before) {
			t.Fatal("the tree has changed")
		}
		type part struct {
			node    int32
			members []int32
		}
		var parts []part
		for i := range points {
			parts = append(parts, part{int32(i), []int32{int32(i)}})
		}
		var levels []float64
		for _, e := range tree {
			levels = append(levels, e.Dist2)
		}
		slices.Sort(levels)
		next := int32(n)
		for _, level := range slices.Compact(levels) {
			forest := graph.NewForest(n)
			for _, e := range tree {
				if e.Dist2 <= level {
					forest.Union(e.I, e.J)
				}
			}
			forest.Flatten()
			var joined []part
			for root := range int32(n) { // the smallest member
				if forest[root] != root {
					continue
				}
				var children []int32
				p := part{}
				for _, q := range parts {
					if forest[q.members[0]] == root {
						children, p.members = append(children, q.node), append(p.members, q.members...)
					}
				}
				slices.Sort(children)
				slices.Sort(p.members)
				if p.node = children[0]; len(children) > 1 {
					p.node = next
					if got := l.of(next); !slices.Equal(got, children) || l.level[next] != level || int(l.size[next]) != len(p.members) {
						t.Fatalf("node %d at %v of %d points has the children %v, want %v at %v of %d", next, l.level[next], l.size[next], got, children, level, len(p.members))
					}
					next++
				}
				joined = append(joined, p)
			}
			parts = joined
		}
		if int(next) != len(l.level) || l.root() != next-1 {
			t.Fatalf("%d nodes, want %d", len(l.level), next)
		}
		for i := range int32(n) {
			if l.of(i) != nil || l.size[i] != 1 || l.level[i] != 0 {
				t.Fatalf("point %d has children", i)
			}
		}
	})
}

// TestSharesByHand: the shares of new points follow the definition, for any tree.
func TestSharesByHand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
		n := rapid.IntRange(1, 12).Draw(t, "clusters")
		h := &Hierarchy{Parent: []int32{-1}, Birth: []float64{0}, Label: []int32{Noise}}
		var chosen []int32
		for v := 1; v < n; v++ {
			p := int32(r.IntN(v))
			h.Parent, h.Birth = append(h.Parent, p), append(h.Birth, h.Birth[p]+0.25+r.Float64())
			label := h.Label[p]
			if label == Noise && r.IntN(2) == 0 {
				label = int32(len(chosen))
				chosen = append(chosen, int32(v))
			}
			h.Label = append(h.Label, label)
		}
		h.Death = make([]float64, len(chosen))
		dim := 1 + r.IntN(3)
		s := newShares(h, dim)
		inside := func(v, of int32) bool {
			for ; v >= 0; v = h.Parent[v] {
				if v == of {
					return true
				}
			}
			return false
		}
		next := slices.Repeat([]float64{math.Inf(1)}, n)
		for v := range int32(n) {
			for _, c := range chosen {
				if inside(c, v) {
					next[v] = min(next[v], h.Birth[c])
				}
			}
		}
		for l, c := range chosen { // the outermost cluster with the label
			if s.node[l] != c {
				t.Fatalf("cluster %d is node %d, want %d", l, s.node[l], c)
			}
		}
		if !slices.Equal(s.next, next) {
			t.Fatalf("next births %v, want %v", s.next, next)
		}
		power := func(a, b float64) float64 { return math.Pow(min(1, a/b), float64(dim)) }
		for v := range int32(n) {
			at := place{v, h.Birth[v] + 0.125 + r.Float64()}
			m := Membership{Label: []int32{h.Label[v]}, shares: s, places: []place{at}}
			full := at.lambda
			if h.Label[v] == Noise && !math.IsInf(next[v], 1) {
				full = max(full, next[v])
			}
			var want []float64
			sum := 0.0
			for _, c := range chosen {
				reached := at.lambda
				if !inside(v, c) {
					first := c // the cluster where the paths part
					for !inside(v, h.Parent[first]) {
						first = h.Parent[first]
					}
					reached = min(reached, h.Birth[first])
				}
				want = append(want, power(reached, full))
			}
			noise := 1.0
			if l := h.Label[v]; l >= 0 {
				noise = power(h.Birth[chosen[l]], at.lambda)
			}
			want = append(want, noise)
			for _, w := range want {
				sum += w
			}
			got := m.Shares([]float64{7}, 0)
			if got[0] != 7 || len(got) != len(want)+1 {
				t.Fatalf("%d shares, want %d", len(got)-1, len(want))
			}
			for k, w := range want {
				if math.Abs(got[k+1]-w/sum) > 1e-12 {
					t.Fatalf("in cluster %d at %v: shares %v, want %v over %v", v, at.lambda, got[1:], want, sum)
				}
			}
		}
	})
}

// TestSpannerSteps: the quantities that guide the search for a tree. These are the shortest edges
// in lists, bounds for edges outside, and the open points.
func TestSpannerSteps(t *testing.T) {
	nb := &knn.Neighbors{N: 4, K: 2, Index: []int32{1, 2, 0, 2, 3, 0, 2, 1}, Dist2: []float64{1, 4, 1, 5, 2, 4, 2, 9}}
	s := &spanner[float64]{nb: nb, core2: []float64{1, 3, 2, 2}, near: []int32{-1, -1, -1, -1}, r2: make([]float64, 4), low: []float64{1, 3, 2, 2}}
	label := []int32{0, 0, 1, 2}
	for i, want := range []struct {
		near    int32
		r2, low float64
	}{{2, 4, 4}, {2, 5, 5}, {3, 2, 2}, {2, 2, 2}} {
		if s.look(int32(i), label); s.near[i] != want.near || s.r2[i] != want.r2 || s.low[i] != want.low {
			t.Errorf("point %d: near %d at %v, low %v, want %+v", i, s.near[i], s.r2[i], s.low[i], want)
		}
	}
	if s.shortest(-1) != math.Inf(1) || s.shortest(0) != 4 {
		t.Errorf("shortest %v and %v", s.shortest(-1), s.shortest(0))
	}
	// If the whole list is in the point's component, the list's length is only a lower bound.
	if s.look(0, []int32{0, 0, 0, 1}); s.near[0] != -1 || s.low[0] != 4 || s.shortest(0) != math.Inf(1) {
		t.Errorf("near %d, low %v", s.near[0], s.low[0])
	}
	best := []int32{-1, -1}
	s.near, s.r2 = []int32{3, 3, -1, 0}, []float64{4, 3, 0, 3}
	for _, c := range []struct{ i, want int32 }{{2, -1}, {0, 0}, {1, 1}, {0, 1}, {2, 1}, {3, 1}} { // of equal edges the first stays
		if s.improve(best, c.i, 0); best[0] != c.want {
			t.Errorf("after point %d the best is %d, want %d", c.i, best[0], c.want)
		}
	}
	s.low = []float64{2.9, 3, 3.1, 0}
	for i, want := range []bool{true, false, false} {
		if s.open(best, int32(i), 0) != want || !s.open(best, int32(i), 1) {
			t.Errorf("point %d is open: %v", i, !want)
		}
	}
	s.listed = true
	if s.open(best, 0, 0) || !s.open(best, 0, 1) {
		t.Error("where lists decide, a point of a component with an edge is open, or one without is not")
	}
}

// TestTilesAndBoxes: for separate groups, searches by tiles and by boxes find edges of the same
// lengths, whatever the lists hold. They stop when the context ends.
func TestTilesAndBoxes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 8))
		n := rapid.IntRange(2, 90).Draw(t, "n")
		x := scattered(r, n, 2)
		for i := range n {
			x.Row(i)[1] += float64(i * 3 / n * rapid.SampledFrom([]int{0, 100}).Draw(t, "apart"))
		}
		m := min(n-1, rapid.IntRange(1, 4).Draw(t, "m"))
		nb, err := knn.Graph(t.Context(), x, m, knn.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		core2 := make([]float64, n)
		for i := range core2 {
			_, dist2 := nb.Row(i)
			core2[i] = dist2[m-1]
		}
		wide := vec.New[float64](n, boxedColumns+1) // the same rows, for tiles
		for i := range n {
			copy(wide.Row(i), x.Row(i))
		}
		s, err := Settings{Threads: 1}.Filled()
		if err != nil {
			t.Fatal(err)
		}
		want := prim(s.Distance, vec.Convert[float32](x), core2)
		for name, x := range map[string]vec.Matrix[float64]{"boxes": x, "tiles": wide} {
			tree, err := spanningTree(t.Context(), x, nb, core2, s)
			if err != nil {
				t.Fatal(err)
			}
			got := lengths(&Clusters{Spanning: tree})
			for e, w := range want {
				if math.Abs(got[e]-w) > 1e-4*max(1, w) { // prim's rows are in single precision
					t.Fatalf("%s: edges %v, want %v", name, got, want)
				}
			}
			for _, e := range tree {
				if e.I >= e.J {
					t.Fatalf("%s: the edge %v", name, e)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			empty := &knn.Neighbors{N: n, K: m, Index: slices.Clone(nb.Index), Dist2: make([]float64, len(nb.Dist2))}
			for i := range n { // a list that names its own point gives no edge
				index, _ := empty.Row(i)
				for p := range index {
					index[p] = int32(i)
				}
			}
			if _, err := spanningTree(ctx, x, empty, core2, s); !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "clusters: joining") {
				t.Fatalf("%s: %v of a cancelled context", name, err)
			}
			tree, err = spanningTree(t.Context(), x, empty, core2, s)
			if err != nil || len(tree) != n-1 {
				t.Fatalf("%s, of empty lists: %d edges, %v", name, len(tree), err)
			}
		}
	})
}

// TestPredictRefuses: invalid rows, rows of another length, an ended context, and more neighbours
// than points are errors, for few columns and many.
func TestPredictRefuses(t *testing.T) {
	for _, dim := range []int{2, boxedColumns + 1} {
		x := scattered(rand.New(rand.NewPCG(2, 2)), 30, dim)
		c, err := Find(t.Context(), x, Settings{MinSize: 4, MinSamples: 20})
		if err != nil {
			t.Fatal(err)
		}
		p := NewPredictor(c, x)
		if (p.boxes != nil) != (dim <= boxedColumns) || (p.index != nil) == (p.boxes != nil) {
			t.Errorf("%d columns: boxes %v, tiles %v", dim, p.boxes != nil, p.index != nil)
		}
		var row *models.RowError
		bad := x.Slice(0, 2).Clone()
		bad.Row(1)[1] = math.Inf(1)
		if _, err := p.Predict(t.Context(), bad); !errors.As(err, &row) || row.Row != 1 || row.Column != 1 {
			t.Errorf("%v of an infinite value", err)
		}
		var other *models.DimensionError
		if _, err := p.Predict(t.Context(), vec.New[float64](1, dim+1)); !errors.As(err, &other) || other.Got != dim+1 || other.Want != dim {
			t.Errorf("%v of a longer row", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Predict(ctx, x); !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "clusters: new points: ") {
			t.Errorf("%v of a cancelled context", err)
		}
		m, err := p.Predict(t.Context(), x)
		if err != nil || len(m.Label) != 30 {
			t.Errorf("%d labels, %v", len(m.Label), err)
		}
		for i := range m.Label {
			if l := m.Label[i]; l >= 0 && m.Probability[i] == 0 || l < 0 && m.Probability[i] != 0 {
				t.Errorf("row %d of cluster %d has the probability %v", i, l, m.Probability[i])
			}
		}
		if none, err := p.Predict(t.Context(), x.Slice(0, 0)); err != nil || len(none.Label) != 0 {
			t.Errorf("no rows: %v", err)
		}
	}
}

// TestNearestOnBothSides: among equally near rows the first are taken, whichever box they are in.
func TestNearestOnBothSides(t *testing.T) {
	x := vec.New[float64](40, 1)
	for i := range x.Data {
		x.Data[i] = float64(1 - 2*(i%2))
	}
	b := newBoxes(0, x, make([]float64, 40), 1)
	for k := 1; k < 40; k++ {
		for j, e := range b.nearest(nil, []float64{0}, k, 0, 0) {
			if int(e.row) != j || e.dist2 != 1 {
				t.Fatalf("neighbour %d of %d is row %d at %v", j, k, e.row, e.dist2)
			}
		}
	}
}
