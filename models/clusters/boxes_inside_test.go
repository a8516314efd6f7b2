package clusters

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/sparse/distance"
)

// TestBoxes: boxes bound their rows tightly and store the component if all rows share one. A search
// in them finds a shortest edge to another component.
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
			if pieces := (len(rows) + boxRows - 1) / boxRows; pieces > 1 { // in the order of the rows, which keeps boxes small
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

// TestBoxesStayClosed: a search skips a box whose rows share the query's component or are no nearer
// than the best so far, and opens the nearer of two boxes first. A box that is opened here has a
// missing half, and panics.
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

// TestBoxed: rows up to a limit of columns are searched by boxes, sets never.
func TestBoxed(t *testing.T) {
	for _, d := range distance.All() {
		want := d.Bounded()
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
