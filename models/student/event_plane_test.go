package student

import (
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/simd/topk"
)

// Medians by ranks have the bits of Median, also where values or weights are equal. They serve most
// events, whose weights differ.
func TestMedianByRanks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for d := 1; d <= 3; d++ {
		var w placeWork
		w.fit(d, 15)
		found := 0
		for i := range 400 {
			list := edges(1+r.IntN(40), d, r)
			for k := range list {
				switch i % 4 {
				case 0:
					list[k].S += r.Float64()
				case 1:
					list[k].S = 1
				case 2:
					list[k].Mu[0] = float64(r.IntN(5) - 2)
				}
			}
			w.joined = append(w.joined[:0], list...)
			want := make([]float64, d)
			Median(want, w.values[:2*len(list)], list)
			if w.median(); !slices.Equal(w.mu, want) {
				t.Fatalf("%d edges: %v, want %v", len(list), w.mu, want)
			}
			var total float64
			for _, e := range list {
				total += e.S
			}
			if topk.MostRanks() > 0 && i%4 == 0 {
				if _, ok := w.ranked(0, total); ok {
					found++
				}
			}
		}
		if topk.MostRanks() > 0 && found < 95 {
			t.Errorf("%d dimensions: %d of 100 medians by ranks", d, found)
		}
	}
}

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
