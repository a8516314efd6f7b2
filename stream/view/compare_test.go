package view

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"unfold/ingest/table"
)

// The share of changed neighbours is that of the plain definition, also with far and with equal
// points.
func TestChangedIsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 60).Draw(t, "n")
		k := rapid.IntRange(1, n-1).Draw(t, "k")
		place := rapid.SliceOfN(rapid.OneOf(rapid.Float32Range(-3, 3), rapid.SampledFrom([]float32{0, 1, 1e6})), n, n)
		x, y, ox, oy := place.Draw(t, "x"), place.Draw(t, "y"), place.Draw(t, "ox"), place.Draw(t, "oy")
		got, err := changed(t.Context(), x, y, ox, oy, k)
		if err != nil {
			t.Fatal(err)
		}
		nearest := func(x, y []float32, i int) []int {
			var all []int
			for j := range n {
				if j != i {
					all = append(all, j)
				}
			}
			d := func(j int) float32 { dx, dy := x[j]-x[i], y[j]-y[i]; return dx*dx + dy*dy }
			slices.SortStableFunc(all, func(a, b int) int {
				switch {
				case d(a) < d(b):
					return -1
				case d(a) > d(b):
					return 1
				}
				return a - b
			})
			return all[:k]
		}
		for i := range n {
			left := 0
			other := nearest(ox, oy, i)
			for _, j := range nearest(x, y, i) {
				if !slices.Contains(other, j) {
					left++
				}
			}
			if want := float32(left) / float32(k); got[i] != want {
				t.Fatalf("point %d: %g of its %d nearest changed, want %g", i, got[i], k, want)
			}
		}
	})
}

// points returns n points with ids from first on, at places of a seed, moved by f.
func points(first, n int, f func(x, y float64) (float64, float64)) Rows {
	var in Rows
	var ids []string
	for i := first; i < first+n; i++ {
		r := rand.New(rand.NewPCG(1, uint64(i)))
		x, y := f(r.NormFloat64(), r.NormFloat64())
		in.X, in.Y = append(in.X, float32(x)), append(in.Y, float32(y))
		ids = append(ids, fmt.Sprintf("p%d", i))
	}
	in.ID = table.StringColumn("id", ids)
	return in
}

// A map that only lies otherwise, in another size, has the same neighbours and is moved onto the first; points are matched by
// their ids, whatever their order.
func TestCompare(t *testing.T) {
	h, o := New(Settings{Base: 7}), New(Settings{})
	same := func(x, y float64) (float64, float64) { return x, y }
	turned := func(x, y float64) (float64, float64) { return 5 - 3*y, 3*x + 1 }
	for _, err := range []error{h.Put(points(0, 100, same)), o.Put(points(50, 70, turned)), o.Put(points(40, 10, turned))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	c, err := h.Compare(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if c.Common != 60 || len(c.X) != 80 || h.Common(o) != 60 {
		t.Fatalf("%d of %d points are common", c.Common, len(c.X))
	}
	for i, id := range c.ID {
		s, there := h.ring.find(id)
		if !there {
			if c.Slot[i] != NoSlot || c.Changed[i] == c.Changed[i] {
				t.Errorf("%s is only there, but has slot %d and %g", id, c.Slot[i], c.Changed[i])
			}
			continue
		}
		if c.Slot[i] != s+7 || c.Changed[i] != 0 || math.Hypot(float64(c.X[i]-h.ring.x[s]), float64(c.Y[i]-h.ring.y[s])) > 1e-4 {
			t.Errorf("%s: slot %d of %d, %g changed, at (%g, %g)", id, c.Slot[i], s+7, c.Changed[i], c.X[i], c.Y[i])
		}
	}
	if _, err := c.Encode(); err != nil {
		t.Error(err)
	}
	none := New(Settings{})
	if err := none.Put(points(99, 5, same)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Compare(t.Context(), none); err == nil {
		t.Error("maps with one point in common are compared")
	}
}

// A map is compared with its earlier versions by the points that are still shown: not by those that left, whose slots have
// other points now. A point whose place alone changes gets other neighbours.
func TestCompareVersions(t *testing.T) {
	h := New(Settings{Size: 40})
	h.Refresh(on(1), Base{}, nil)
	in := points(0, 40, func(x, y float64) (float64, float64) { return x, y })
	in.Map = on(1)
	if err := h.Put(in); err != nil {
		t.Fatal(err)
	}
	far := in.X[30]
	h.Refresh(on(2), Base{}, func(x, y float32) (float32, float32) {
		if x == far {
			return 50, 50
		}
		return x + 1, y
	})
	h.Remove("p3")
	if err := h.Put(points(100, 6, func(x, y float64) (float64, float64) { return x, y })); err != nil { // replaces p3 and five more
		t.Fatal(err)
	}
	versions := h.Versions()
	if len(versions) != 1 || versions[0].Map != on(1) || versions[0].Points != 34 {
		t.Fatalf("versions %+v", versions)
	}
	c, known, err := h.CompareVersion(t.Context(), 1)
	if err != nil || !known || c.Common != 34 {
		t.Fatalf("%d common points, %t, %v", c.Common, known, err)
	}
	for i, id := range c.ID {
		var k int
		if _, err := fmt.Sscanf(id, "p%d", &k); err != nil || c.X[i] != in.X[k] || c.Y[i] != in.Y[k] {
			t.Errorf("%s was at (%g, %g), not (%g, %g)", id, in.X[k], in.Y[k], c.X[i], c.Y[i])
		}
		if id == "p30" && c.Changed[i] == 0 {
			t.Error("p30 went away, and has the same neighbours")
		}
	}
	if _, known, _ := h.CompareVersion(t.Context(), 7); known {
		t.Error("version 7 is known")
	}
	h.Clear()
	if len(h.Versions()) != 0 {
		t.Error("versions of a cleared map are kept")
	}
}

// Kept versions take bounded memory. The newest and the oldest stay, and ages in between grow like powers.
func TestPastIsBounded(t *testing.T) {
	h := New(Settings{Size: 1000})
	h.Refresh(on(1), Base{}, nil)
	if err := h.Put(points(0, 1000, func(x, y float64) (float64, float64) { return x, y })); err != nil {
		t.Fatal(err)
	}
	begun := time.UnixMilli(1.7e12)
	most := pastBytes / (pastPoint * 1000)
	for v := range 3 * most {
		h.m = on(uint64(v + 1))
		h.remember(begun.Add(time.Duration(v) * 10 * time.Second))
	}
	versions := h.Versions()
	if len(versions) > most || len(versions) < most-1 || versions[0].Map.Version != uint64(3*most) || versions[len(versions)-1].Map.Version != 1 {
		t.Fatalf("%d versions of at most %d, from %d to %d", len(versions), most, versions[len(versions)-1].Map.Version, versions[0].Map.Version)
	}
	if recent := versions[most/2].Map.Version; recent < uint64(2*most) {
		t.Errorf("half of the versions are older than %d of %d", recent, 3*most)
	}
}

// The way of a class leads through its centres on all versions to the present one.
func TestWays(t *testing.T) {
	h := New(Settings{})
	h.Refresh(on(1), Base{}, nil)
	put := func(class string, at ...float32) {
		in := Rows{X: at, Y: at, Map: h.Map()}
		in.Columns = []table.Column{table.StringColumn("class", slices.Repeat([]string{class}, len(at)))}
		if err := h.Put(in); err != nil {
			t.Fatal(err)
		}
	}
	put("a", 1, 2, 3)
	right := func(x, y float32) (float32, float32) { return x + 10, y }
	h.Refresh(on(2), Base{}, right)
	put("b", 0, 2)
	h.Refresh(on(3), Base{}, right)
	put("b", 31)
	versions, ways := h.Ways("class")
	if len(versions) != 3 || versions[2].Map != on(3) || len(ways) != 2 {
		t.Fatalf("%d versions, %d ways", len(versions), len(ways))
	}
	text := func(w Way) (out string) {
		for _, p := range w.Places {
			if p == nil {
				out += "- "
			} else {
				out += fmt.Sprintf("%g,%g ", p[0], p[1])
			}
		}
		return w.Value + ": " + out
	}
	if got := text(ways[0]) + text(ways[1]); got != "a: 2,2 12,2 22,2 b: - 1,1 17.666666,11 " {
		t.Errorf("the ways are %s", got)
	}
	if _, ways := h.Ways("value"); len(ways) != 0 {
		t.Error("a column that is not there has ways")
	}
}
