package student

import "math"

const (
	// DefaultRankDecay is the default of p in H22.
	DefaultRankDecay = 0.7
	// mostRankDecay is the largest p. With it, the nearest neighbour weighs a thousand times as
	// much as the second.
	mostRankDecay = 10
)

// nearWeights returns the weights of a point's k near edges by rank. They fall with a power of the
// rank and are 1 on average,
//
//	S_ij = k m^-p / sum_{l=1..k} l^-p  for the m-th nearest j of i.                 (H22)
//
// With equal weights, p = 0, a map preserves the set of the k nearest neighbours but not their
// order. A negative p is treated as 0.
func nearWeights(k int, p float64) []float64 {
	w := make([]float64, k)
	p = max(p, 0)
	var sum float64
	for m := range w {
		w[m] = math.Pow(float64(m+1), -p)
		sum += w[m]
	}
	for m := range w {
		w[m] *= float64(k) / sum
	}
	return w
}
