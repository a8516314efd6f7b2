package kernel

import (
	"gonum.org/v1/gonum/blas/gonum"

	"unfold/internal/simd/exp"
	"unfold/internal/simd/pairwise"
)

// RBF is variance exp(-gamma/2 |x - x'|^2) with the parameters gamma and variance.
type RBF struct{}

// Name implements Part.
func (RBF) Name() string { return "rbf" }

// Params implements Part.
func (RBF) Params() []string { return []string{"gamma", "variance"} }

// Start implements Part.
func (RBF) Start() []float64 { return []float64{1, 1} }

// distances returns |x - z_j|^2 and exp(-gamma/2 |x - z_j|^2) of the first n points.
func (RBF) distances(gamma float64, x []float64, z *Points, n int, room *Room) (d2, e []float64) {
	d2, e = room.a[:n], room.b[:n]
	pairwise.Distances(d2, x, z.Columns)
	for j, d := range d2 {
		e[j] = -gamma / 2 * d
	}
	exp.Exp(e, e)
	return d2, e
}

// Add implements Part.
func (k RBF) Add(dst, p, x []float64, z *Points, room *Room) {
	_, e := k.distances(p[0], x, z, len(dst), room)
	for j, v := range e {
		dst[j] += p[1] * v
	}
}

// Gradient implements Part: dk/dgamma = -|x-x'|^2/2 k, dk/dx = -gamma (x-x') k.
func (k RBF) Gradient(dp, dx, w, p, x []float64, z *Points, room *Room) {
	d2, e := k.distances(p[0], x, z, len(w), room)
	for j, v := range w {
		e[j] *= v
	}
	q := len(x)
	clear(room.sum)
	pairwise.Gather(room.sum, e, z.Columns)
	dp[0] -= p[1] / 2 * gonum.Implementation{}.Ddot(len(e), d2, 1, e, 1)
	dp[1] += room.sum[q]
	for r, v := range x {
		dx[r] -= p[0] * p[1] * (v*room.sum[q] - room.sum[r])
	}
}

// Weigh implements Halved: t_j = w_j exp(-gamma/2 |x - z_j|^2).
func (k RBF) Weigh(w, dp, p, x []float64, z *Points, room *Room) {
	d2, e := k.distances(p[0], x, z, len(w), room)
	sum, slope := 0.0, 0.0
	for j, v := range e {
		v *= w[j]
		w[j] = v
		sum += v
		slope += v * d2[j]
	}
	dp[0] -= p[1] / 2 * slope
	dp[1] += sum
}

// End implements Halved.
func (RBF) End(dx, p, x []float64, sum float64, sums []float64) {
	for r, v := range x {
		dx[r] -= p[0] * p[1] * (v*sum - sums[r])
	}
}

// Self implements Part.
func (RBF) Self(p, _ []float64) float64 { return p[1] }

// GradientSelf implements Part.
func (RBF) GradientSelf(dp, _ []float64, weight float64, _, _ []float64) { dp[1] += weight }
