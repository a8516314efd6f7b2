package clusters_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models/clusters"
)

// Rows far from 0, or in small units, have the clusters of the same rows near 0: metres of a map
// grid, radians of a city, a billion, billionths around 1. Coordinates have few enough digits that
// no distance is rounded.
func TestFarFromZero(t *testing.T) {
	const n = 1200
	rng := rand.New(rand.NewPCG(1, 2))
	x := vec.New[float64](n, 2)
	for i := range n {
		spread := 0.2 + 0.1*float64(i%5)
		for k := range 2 {
			x.Row(i)[k] = 6*math.Sin(float64((i%8)*(k+1))) + spread*rng.NormFloat64()
			if i%7 == 0 {
				x.Row(i)[k] = 20*rng.Float64() - 10
			}
			x.Row(i)[k] = math.Round(x.Row(i)[k]*1024) / 1024
		}
	}
	set := clusters.Settings{MinSize: 30}
	want, err := clusters.Find(t.Context(), x, set)
	if err != nil || slices.Max(want.Label) < 3 {
		t.Fatalf("%d clusters, error %v, want at least 4", slices.Max(want.Label)+1, err)
	}
	for _, c := range []struct {
		name          string
		scale, origin float64
	}{
		{"metres", 64, 4_649_776},
		{"radians", 0x1p-20, 0.9169921875},
		{"a billion", 1, 1e9},
		{"billionths around 1", 0x1p-30, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			far := vec.New[float64](n, 2)
			for p, v := range x.Data {
				far.Data[p] = c.origin + c.scale*v
			}
			got, err := clusters.Find(t.Context(), far, set)
			if err != nil || !slices.Equal(got.Label, want.Label) {
				t.Errorf("other clusters than near 0, error %v", err)
			}
		})
	}
}
