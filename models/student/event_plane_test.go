package student

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The steps in the plane have the bits of those in any number of dimensions.
func TestAscendPlane(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var a, b placeWork
	a.fit(2, 15)
	b.fit(2, 15)
	for range 200 {
		list := edges(1+r.IntN(40), 2, r)
		a.joined, b.joined = append(a.joined[:0], list...), append(b.joined[:0], list...)
		for _, w := range []*placeWork{&a, &b} {
			Median(w.mu, w.values[:2*len(list)], list)
		}
		sigma2, tail := 0.1+r.Float64(), 0.5+r.Float64()
		ascend(&a, sigma2, tail)
		ascendPlane(&b, sigma2, tail)
		if !slices.Equal(a.mu, b.mu) {
			t.Fatalf("%d edges: %v, want %v", len(list), b.mu, a.mu)
		}
	}
}
