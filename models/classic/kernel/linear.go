package kernel

import (
	"unfold/internal/simd/pairwise"
	"unfold/internal/vec"
)

// Linear is variance x.x'.
type Linear struct{}

// Name implements Part.
func (Linear) Name() string { return "linear" }

// Params implements Part.
func (Linear) Params() []string { return []string{"variance"} }

// Start implements Part.
func (Linear) Start() []float64 { return []float64{1} }

// Add implements Part.
func (Linear) Add(dst, p, x []float64, z *Points, _ *Room) {
	for j := range dst {
		dst[j] += p[0] * vec.Dot(x, z.Rows.Row(j))
	}
}

// Gradient implements Part.
func (Linear) Gradient(dp, dx, w, p, x []float64, z *Points, room *Room) {
	clear(room.sum)
	pairwise.Gather(room.sum, w, z.Columns)
	dp[0] += vec.Dot(x, room.sum)
	vec.Axpy(p[0], room.sum[:len(x)], dx)
}

// Weigh implements Halved: t_j = w_j.
func (k Linear) Weigh(w, dp, _, x []float64, z *Points, room *Room) {
	clear(room.sum)
	pairwise.Gather(room.sum, w, z.Columns)
	dp[0] += vec.Dot(x, room.sum)
}

// End implements Halved.
func (Linear) End(dx, p, _ []float64, _ float64, sums []float64) { vec.Axpy(p[0], sums, dx) }

// Self implements Part.
func (Linear) Self(p, x []float64) float64 { return p[0] * vec.SquaredNorm(x) }

// GradientSelf implements Part.
func (Linear) GradientSelf(dp, dx []float64, weight float64, p, x []float64) {
	dp[0] += weight * vec.SquaredNorm(x)
	vec.Axpy(2*weight*p[0], x, dx)
}
