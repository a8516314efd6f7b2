package live

import (
	"context"
	"math/rand/v2"

	"unfold/internal/vec"
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

// none are no rows, nowhere no places.
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

// fitted is the map of some rows.
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
