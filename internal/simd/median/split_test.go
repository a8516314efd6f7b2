package median

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Split puts the smallest first, with any ties and infinities.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "n")
		values := rapid.IntRange(1, 300).Draw(t, "values")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		key, order := make([]float64, n), make([]int32, n)
		for i := range order {
			order[i] = int32(i)
		}
		r.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		for i := range key {
			key[i] = float64(r.IntN(values))
			if key[i] == 0 {
				key[i] = math.Inf(1)
			}
		}
		if rapid.Bool().Draw(t, "sorted") {
			slices.Sort(key)
		}
		type element struct {
			key   float64
			order int32
		}
		elements := func() []element {
			out := make([]element, n)
			for i := range out {
				out[i] = element{key[i], order[i]}
			}
			return out
		}
		compare := func(a, b element) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.order, b.order)) }
		want := elements()
		slices.SortFunc(want, compare)
		m := rapid.IntRange(0, n).Draw(t, "m")
		Split(key, order, m)
		got := elements()
		slices.SortFunc(got[:m], compare)
		slices.SortFunc(got[m:], compare)
		if !slices.Equal(got, want) {
			t.Fatalf("the first %d are %v, want %v", m, got[:m], want[:m])
		}
		Sort(key, order)
		if !slices.Equal(elements(), want) {
			t.Fatal("Sort does not sort")
		}
	})
}
