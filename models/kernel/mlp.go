package kernel

import (
	"math"

	"unfold/sparse/vec"
)

// MLP is the multi-layer perceptron's covariance
//
//	variance asin((w x.x' + b) / sqrt((w x.x + b + 1)(w x'.x' + b + 1))),
//
// parameters w, b and variance.
type MLP struct{}

// Name implements Part.
func (MLP) Name() string { return "mlp" }

// Params implements Part.
func (MLP) Params() []string { return []string{"weight", "bias", "variance"} }

// Start implements Part.
func (MLP) Start() []float64 { return []float64{10, 10, 1} }

// Add implements Part.
func (MLP) Add(dst, p, x []float64, z vec.Matrix[float64]) {
	a := p[0]*vec.SquaredNorm(x) + p[1] + 1
	for j := range dst {
		b := p[0]*vec.SquaredNorm(z.Row(j)) + p[1] + 1
		dst[j] += p[2] * math.Asin((p[0]*vec.Dot(x, z.Row(j))+p[1])/math.Sqrt(a*b))
	}
}

// Gradient implements Part. With c = w x.x' + b, a = w x.x + b + 1, b the same of
// x', s = c/sqrt(ab): d asin s = (dc - c/2 (da/a + db/b)) / sqrt(ab - c^2).
func (MLP) Gradient(dp, dx, w, p, x []float64, z vec.Matrix[float64]) {
	xx := vec.SquaredNorm(x)
	a := p[0]*xx + p[1] + 1
	for j := range z.Rows {
		zj := z.Row(j)
		xz, zz := vec.Dot(x, zj), vec.SquaredNorm(zj)
		b, c := p[0]*zz+p[1]+1, p[0]*xz+p[1]
		dp[2] += w[j] * math.Asin(c/math.Sqrt(a*b))
		f := w[j] * p[2] / math.Sqrt(a*b-c*c)
		dp[0] += f * (xz - c/2*(xx/a+zz/b))
		dp[1] += f * (1 - c/2*(1/a+1/b))
		for r, v := range zj {
			dx[r] += f * p[0] * (v - c/a*x[r])
		}
	}
}
