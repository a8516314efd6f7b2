package knntest

import (
	"math"
	"math/rand/v2"

	"unfold/internal/vec"
)

// Kinds are the names of the point sets of Points.
var Kinds = []string{"gauss", "clusters", "grid", "duplicates", "offset", "outlier", "tiny", "huge", "constant", "mixed", "line", "bits"}

// Points returns n rows of dimension dim that are difficult in the named way: ties (grid,
// duplicates, constant, bits), cancellation (offset, outlier, line), the ends of the number range
// (tiny, huge, mixed).
func Points[T vec.Float](kind string, n, dim int, seed uint64) vec.Matrix[T] {
	rng := rand.New(rand.NewPCG(seed, 7))
	x := vec.New[T](n, dim)
	for i := range n {
		row := x.Row(i)
		for k := range row {
			row[k] = T(value(rng, kind, i, k))
		}
		if kind == "duplicates" && i > 0 && rng.IntN(2) == 0 {
			copy(row, x.Row(rng.IntN(i)))
		}
	}
	return x
}

func value(rng *rand.Rand, kind string, i, k int) float64 {
	g := rng.NormFloat64()
	switch kind {
	case "clusters":
		// The clusters are far apart and so tight that float32 cannot distinguish their points at
		// the distance from the common centre.
		return 1000*float64((i+k)%5) + 1e-3*g
	case "grid":
		return float64(rng.IntN(3))
	case "bits":
		// These are binary rows, with few ones up to about a half.
		return float64((rng.IntN(2 + i%7)) / (1 + i%7))
	case "offset":
		return 1e6 + g
	case "outlier":
		if i%17 == 0 {
			return 1e9 * g
		}
		return g
	case "tiny":
		return 1e-42 * g
	case "huge":
		return 1e37 * g
	case "constant":
		return 2.5
	case "mixed":
		return g * math.Pow(10, float64(rng.IntN(60)-30))
	case "line":
		return float64(i) * 1e-4
	}
	return g
}
