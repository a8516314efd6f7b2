package kernel

import (
	"math"

	"unfold/internal/vec"
)

// MLP is the covariance of a multi-layer perceptron,
//
//	variance asin((w x.x' + b) / sqrt((w x.x + b + 1)(w x'.x' + b + 1))),
//
// with the parameters w, b and variance.
type MLP struct{}

// Name implements Part.
func (MLP) Name() string { return "mlp" }

// Params implements Part.
func (MLP) Params() []string { return []string{"weight", "bias", "variance"} }

// Start implements Part.
func (MLP) Start() []float64 { return []float64{10, 10, 1} }

// Add implements Part.
func (MLP) Add(dst, p, x []float64, z *Points, _ *Room) {
	a := p[0]*vec.SquaredNorm(x) + p[1] + 1
	for j := range dst {
		zj := z.Rows.Row(j)
		b := p[0]*vec.SquaredNorm(zj) + p[1] + 1
		dst[j] += p[2] * math.Asin((p[0]*vec.Dot(x, zj)+p[1])/math.Sqrt(a*b))
	}
}

// Gradient implements Part. With c = w x.x' + b, a = w x.x + b + 1, b the same of
// x', s = c/sqrt(ab): d asin s = (dc - c/2 (da/a + db/b)) / sqrt(ab - c^2).
func (MLP) Gradient(dp, dx, w, p, x []float64, z *Points, _ *Room) {
	xx := vec.SquaredNorm(x)
	a := p[0]*xx + p[1] + 1
	for j := range w {
		zj := z.Rows.Row(j)
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

// Self implements Part: with a = w x.x + b + 1 it is variance asin((a-1)/a).
func (MLP) Self(p, x []float64) float64 {
	a := p[0]*vec.SquaredNorm(x) + p[1] + 1
	return p[2] * math.Asin((a-1)/a)
}

// GradientSelf implements Part: d asin(1 - 1/a) = da / (a sqrt(2a - 1)).
func (MLP) GradientSelf(dp, dx []float64, weight float64, p, x []float64) {
	xx := vec.SquaredNorm(x)
	a := p[0]*xx + p[1] + 1
	f := weight * p[2] / (a * math.Sqrt(2*a-1))
	dp[0] += f * xx
	dp[1] += f
	dp[2] += weight * math.Asin((a-1)/a)
	vec.Axpy(2*f*p[0], x, dx)
}
