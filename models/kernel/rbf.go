package kernel

import (
	"math"

	"unfold/sparse/vec"
)

// RBF is variance exp(-gamma/2 |x - x'|^2), parameters gamma and variance.
type RBF struct{}

// Name implements Part.
func (RBF) Name() string { return "rbf" }

// Params implements Part.
func (RBF) Params() []string { return []string{"gamma", "variance"} }

// Start implements Part.
func (RBF) Start() []float64 { return []float64{1, 1} }

// Add implements Part.
func (RBF) Add(dst, p, x []float64, z vec.Matrix[float64]) {
	for j := range dst {
		dst[j] += p[1] * math.Exp(-p[0]/2*vec.SquaredDistance(x, z.Row(j)))
	}
}

// Gradient implements Part: dk/dgamma = -|x-x'|^2/2 k, dk/dx = -gamma (x-x') k.
func (RBF) Gradient(dp, dx, w, p, x []float64, z vec.Matrix[float64]) {
	for j := range z.Rows {
		zj := z.Row(j)
		d2 := vec.SquaredDistance(x, zj)
		e := w[j] * math.Exp(-p[0]/2*d2)
		dp[0] -= d2 / 2 * p[1] * e
		dp[1] += e
		for r, v := range zj {
			dx[r] -= p[0] * p[1] * e * (x[r] - v)
		}
	}
}
