package novelty

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"
)

// A finder agrees with a search of the whole list, for its values, for values beside them, and far
// outside, however they are spread.
func TestFinder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		list := make([]float64, rapid.IntRange(1, 6000).Draw(t, "n"))
		tail := rapid.SampledFrom([]float64{0, 1, 100}).Draw(t, "tail")
		for i := range list {
			if list[i] = 1 + r.Float64() + math.Exp(tail*r.NormFloat64()); r.IntN(4) == 0 {
				list[i] = 1.5
			}
		}
		slices.Sort(list)
		f := newFinder(list)
		if f != nil && len(list) < parts/4 {
			t.Error("a finder for a short list")
		}
		for _, v := range []float64{0, -1e300, math.Inf(1), math.MaxFloat64, 1.5, math.Nextafter(1.5, 0), math.Nextafter(1.5, 2), list[0], list[len(list)-1]} {
			if got, want := f.below(list, v), sort.SearchFloat64s(list, v); got != want {
				t.Fatalf("%d of %d below %v, want %d", got, len(list), v, want)
			}
		}
		for range 200 {
			v := list[r.IntN(len(list))] * (1 + 1e-3*r.NormFloat64()*float64(r.IntN(2)))
			if got, want := f.below(list, v), sort.SearchFloat64s(list, v); got != want {
				t.Fatalf("%d of %d below %v, want %d", got, len(list), v, want)
			}
		}
	})
}

// Scores of a usual map have a finder.
func TestUsualFinder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]float64, 20_000)
	for i := range list {
		list[i] = math.Exp(0.2 * r.NormFloat64())
	}
	slices.Sort(list)
	f := newFinder(list)
	if f == nil {
		t.Fatal("none")
	}
	most := int32(0)
	for p := range parts - 1 {
		most = max(most, f.start[p+1]-f.start[p])
	}
	if most > 200 {
		t.Errorf("a part has %d of %d values", most, len(list))
	}
}
