package student

import "math"

const (
	// DefaultRankDecay is p of H22 if none is named.
	DefaultRankDecay = 0.7
	// mostRankDecay is the largest p: the nearest outweighs the second a thousandfold.
	mostRankDecay = 10
)

// nearWeights returns the weights of a point's k near edges, by the ranks of their other
// ends. They fall with a power of the rank and are 1 on average,
//
//	S_ij = k m^-p / sum_{l=1..k} l^-p  for the m-th nearest j of i.                 (H22)
//
// With equal weights, p = 0, a map says who the k nearest are and not who of them is
// nearest. A negative p is 0.
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
