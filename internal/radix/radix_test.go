package radix

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestOrderIsAStableSort(t *testing.T) {
	var s Sorter // the same for lists of all lengths
	var order []int32
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, -1, 1 + 0x1p-52, math.Inf(1), math.Inf(-1), 5e-324, -5e-324})
		v := rapid.SliceOf(rapid.OneOf(few, rapid.Float64())).Draw(t, "values")
		want := make([]int32, len(v))
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(v[a], v[b]) })
		order = s.Order(len(v), func(i int) float64 { return v[i] }, order)
		if !slices.Equal(order, want) {
			t.Fatalf("order %v of %v, want %v", order, v, want)
		}
	})
}
