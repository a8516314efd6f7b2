package ivf

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
)

// A report is the start of all rows ordered by (squared distance, row), for any input order and any
// ties.
func TestReport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n, dim := rapid.IntRange(1, 150).Draw(t, "n"), rapid.IntRange(1, 9).Draw(t, "dim")
		values := rapid.IntRange(1, 40).Draw(t, "values")
		size := math.Pow(10, rapid.Float64Range(-40, 36).Draw(t, "exponent"))
		x := vec.New[float32](n, dim)
		for i := range x.Data {
			x.Data[i] = float32(size * float64(r.IntN(values)))
		}
		q := slices.Clone(x.Row(r.IntN(n)))
		want := make([]int32, n)
		for i := range want {
			want[i] = int32(i)
		}
		far := func(i int32) float64 { return vec.SquaredDistance(q, x.Row(int(i))) }
		w := &work{rows: slices.Clone(want)}
		r.Shuffle(n, func(i, j int) { w.rows[i], w.rows[j] = w.rows[j], w.rows[i] })
		slices.SortStableFunc(want, func(i, j int32) int { return cmp.Compare(far(i), far(j)) })
		k := rapid.IntRange(1, n).Draw(t, "k")
		index, dist2 := make([]int32, k), make([]float64, k)
		w.report(x, q, index, dist2)
		for p, i := range want[:k] {
			if index[p] != i || dist2[p] != far(i) {
				t.Fatalf("place %d has row %d at %v, want row %d at %v", p, index[p], dist2[p], i, far(i))
			}
		}
	})
}

// about lists every position once, in ascending parts of the range.
func TestAbout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 5e-324, 1, 1e77})), 0, 100).Draw(t, "values")
		w := &work{turn: make([]int32, len(values))}
		turns := slices.Clone(w.about(values))
		var width, last float64
		if len(values) > 0 {
			width = slices.Max(values) - slices.Min(values)
		}
		if (buckets-1)/width <= math.MaxFloat64 {
			width /= buckets - 1
		}
		for _, i := range turns {
			if values[i] < last-width*(1+1e-9) {
				t.Fatalf("%v comes after %v: parts are %v wide", values[i], last, width)
			}
			last = values[i]
		}
		slices.Sort(turns)
		for i, at := range turns {
			if int(at) != i {
				t.Fatalf("turns are no permutation: %v", turns)
			}
		}
	})
}
