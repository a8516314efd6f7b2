package hamming

import (
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
)

// No kernel reads or writes outside its slices, which end at the end of memory.
func TestKernelsStayInside(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, l := range simd.Levels() {
		for words := 1; words <= 17; words += 2 {
			for n := 1; n <= 3; n++ {
				queries, panel := simdtest.AtEnd[uint64](t, n*words), simdtest.AtEnd[uint64](t, Width*words)
				mask, limit := simdtest.AtEnd[uint64](t, n), simdtest.AtEnd[uint64](t, n)
				fill(rng, queries)
				fill(rng, panel)
				for r := range limit {
					limit[r] = uint64(32 * words)
				}
				want := make([]uint64, n)
				withinTwin(want, queries, limit, words, panel)
				(&Panels{words, panel}).Within(l, mask, queries, limit, 0, (words+1)/2)
				if !slices.Equal(mask, want) {
					t.Fatalf("%v: %d words, %d queries: %x, want %x", l, words, n, mask, want)
				}
			}
		}
	}
}
