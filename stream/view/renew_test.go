package view

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"unfold/ingest/table"
)

// inClusters returns points of a map version with a cluster and one more column.
func inClusters(version uint64, cluster int64, ids ...string) Rows {
	in := Rows{ID: table.StringColumn("id", ids), X: make([]float32, len(ids)), Y: make([]float32, len(ids)), At: 1, Map: on(version)}
	kind := make([]string, len(ids))
	for i, id := range ids {
		in.X[i], kind[i] = float32(len(id)), "kind of "+id
	}
	in.Columns = []table.Column{table.Int64Column("cluster", slices.Repeat([]int64{cluster}, len(ids))), table.StringColumn("kind", kind)}
	return in
}

// allIn puts points in a cluster.
func allIn(cluster int64) func(old Old) (Renewed, error) {
	return func(old Old) (out Renewed, err error) {
		for i, v := range old.Value {
			if v != fmt.Sprint(cluster) {
				out.Row = append(out.Row, i)
			}
		}
		out.Columns = []table.Column{table.Int64Column("cluster", slices.Repeat([]int64{cluster}, len(out.Row))), table.Int64Column("none has it", make([]int64, len(out.Row)))}
		return out, nil
	}
}

// All points with columns of an earlier map get new values once per map, including points that
// arrive late. Readers get only the points whose values changed.
func TestRenew(t *testing.T) {
	h := New(Settings{})
	h.Refresh(on(1), Base{}, nil)
	put := func(in Rows) {
		t.Helper()
		if err := h.Put(in); err != nil {
			t.Fatal(err)
		}
	}
	values := func() (out []string) {
		for _, id := range []string{"a", "bb", "ccc", "late"} {
			p, _, there := h.Point(id, 0)
			if there && p.Values["kind"] != "kind of "+id {
				t.Errorf("%s is %v", id, p.Values["kind"])
			}
			out = append(out, fmt.Sprint(p.Values["cluster"]))
		}
		return out
	}
	put(inClusters(1, -1, "a", "bb"))
	h.Refresh(on(2), Base{}, shift(1))
	put(inClusters(2, 5, "ccc"))
	p := newPage(h)
	defer p.r.Close()
	p.drain(t)
	if err := h.Renew(on(1), "cluster", func(Old) (Renewed, error) { panic("of a map that is not shown") }); err != nil {
		t.Fatal(err)
	}
	if err := h.Renew(on(2), "cluster", func(old Old) (Renewed, error) {
		if !slices.Equal(old.Value, []string{"-1", "-1"}) || !slices.Equal(old.Version, []uint64{1, 1}) || old.X[1] != 3 {
			t.Errorf("old are %+v", old)
		}
		put(inClusters(2, 7, "bb")) // the point is put again meanwhile
		return allIn(6)(old)
	}); err != nil {
		t.Fatal(err)
	}
	if got := values(); !slices.Equal(got, []string{"6", "7", "5", "<nil>"}) {
		t.Errorf("the clusters are %v", got)
	}
	h.Tick()
	p.drain(t)
	p.same(t, h)
	put(inClusters(1, -1, "late"))
	for range 2 {
		calls := 0
		if err := h.Renew(on(2), "cluster", func(old Old) (Renewed, error) { calls += len(old.X); return allIn(8)(old) }); err != nil {
			t.Fatal(err)
		}
		if got := values(); !slices.Equal(got, []string{"6", "7", "5", "8"}) || calls > 1 {
			t.Errorf("the clusters are %v, of %d points", got, calls)
		}
	}
	h.Refresh(on(3), Base{}, shift(2))
	h.Tick()
	if err := h.Renew(on(3), "cluster", func(Old) (Renewed, error) { return Renewed{}, nil }); err != nil || len(h.dirty) > 0 {
		t.Errorf("%d points changed that did not, %v", len(h.dirty), err)
	}
	h.Refresh(on(4), Base{}, shift(3))
	if err := h.Renew(on(4), "cluster", func(Old) (Renewed, error) { return Renewed{}, errors.ErrUnsupported }); err != errors.ErrUnsupported {
		t.Errorf("the error is %v", err)
	}
}

// All points are renewed if there are more than fit in one batch.
func TestRenewMany(t *testing.T) {
	h := New(Settings{})
	ids := make([]string, renewedTogether+10)
	for i := range ids {
		ids[i] = fmt.Sprint("id ", i)
	}
	h.Refresh(on(1), Base{}, nil)
	if err := h.Put(inClusters(1, -1, ids...)); err != nil {
		t.Fatal(err)
	}
	h.Refresh(on(2), Base{}, shift(1))
	if err := h.Renew(on(2), "cluster", allIn(3)); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if p, _, _ := h.Point(id, 0); p.Values["cluster"] != "3" {
			t.Fatalf("%s is in %v", id, p.Values["cluster"])
		}
	}
}

// Nearest finds the nearest point, and returns nil for a base without finite places.
func TestNearest(t *testing.T) {
	nan := float32(0)
	nan /= nan
	b := Base{Keys: make([]uint64, 4), X: []float32{nan, 0, 4, 4}, Y: []float32{0, 0, 0, 9}}
	near := b.Nearest()
	for _, c := range []struct {
		x, y float32
		want int
	}{{-3, 1, 1}, {3, 0, 2}, {90, 90, 3}, {4, 8, 3}} {
		if got := near(c.x, c.y); got != c.want {
			t.Errorf("nearest to (%v, %v) is %d, want %d", c.x, c.y, got, c.want)
		}
	}
	if (Base{Keys: []uint64{1}, X: []float32{nan}, Y: []float32{0}}).Nearest() != nil {
		t.Error("a base without places has a nearest point")
	}
}
