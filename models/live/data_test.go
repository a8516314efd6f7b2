package live

import (
	"cmp"
	"context"
	"math/rand/v2"

	"unfold/internal/vec"
	"unfold/models/lvm"
	"unfold/models/novelty"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// blobs returns n points around five centres in dim dimensions.
func blobs(n, dim int, seed uint64) vec.Matrix[float32] {
	r := rand.New(rand.NewPCG(seed, 77))
	c := rand.New(rand.NewPCG(1, 2))
	centers := vec.New[float32](5, dim)
	for k := range centers.Data {
		centers.Data[k] = 4 * float32(c.NormFloat64())
	}
	x := vec.New[float32](n, dim)
	for i := range n {
		c := centers.Row(r.IntN(5))
		for k := range c {
			x.Row(i)[k] = c[k] + float32(r.NormFloat64())
		}
	}
	return x
}

// none are no rows and nowhere are no places.
var (
	none    vec.Matrix[float32]
	nowhere vec.Matrix[float64]
)

// tester is a test, or one case of a property.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Fit learns the first map of the rows of x, as package fit does, and returns their slots.
func Fit(ctx context.Context, x vec.Matrix[float32], set Settings) (*Map, []int32, error) {
	unique, of, _ := graph.Collapse(x)
	first, err := set.First()
	if err != nil {
		return nil, nil, err
	}
	r, err := lvm.Fit(ctx, x, first, nil)
	if err != nil {
		return nil, nil, err
	}
	s, _, err := r.Snapshot(vec.Take(x, unique), cmp.Or(set.NoveltyK, novelty.DefaultK))
	if err != nil {
		return nil, nil, err
	}
	s.Version, s.Epoch = 1, 1
	if err = lvm.SetIndex(ctx, s, nil, first.Search, knn.Settings{Threads: first.Threads}); err != nil {
		return nil, nil, err
	}
	m, err := Restore(ctx, s, State{}, set)
	return m, of, err
}

// fitted returns the map of some rows.
func fitted(t tester, x vec.Matrix[float32], set Settings) (*Map, []int32) {
	t.Helper()
	m, slots, err := Fit(context.Background(), x, set)
	if err != nil {
		t.Fatal(err)
	}
	return m, slots
}

// change and refresh fail the test on an error.
func change(t tester, m *Map, gone []int32, x vec.Matrix[float32]) []int32 {
	t.Helper()
	slots, err := m.Change(context.Background(), gone, x, nowhere)
	if err != nil {
		t.Fatal(err)
	}
	return slots
}

func refresh(t tester, m *Map) Report {
	t.Helper()
	r, err := m.Refresh(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Snapshot().Validate(); err != nil {
		t.Fatalf("after a %v refresh: %v", r.Kind, err)
	}
	return r
}
