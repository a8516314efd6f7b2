package kernel

import "unfold/sparse/vec"

// Linear is variance x.x'.
type Linear struct{}

// Name implements Part.
func (Linear) Name() string { return "linear" }

// Params implements Part.
func (Linear) Params() []string { return []string{"variance"} }

// Start implements Part.
func (Linear) Start() []float64 { return []float64{1} }

// Add implements Part.
func (Linear) Add(dst, p, x []float64, z vec.Matrix[float64]) {
	for j := range dst {
		dst[j] += p[0] * vec.Dot(x, z.Row(j))
	}
}

// Gradient implements Part.
func (Linear) Gradient(dp, dx, w, p, x []float64, z vec.Matrix[float64]) {
	for j := range z.Rows {
		dp[0] += w[j] * vec.Dot(x, z.Row(j))
		vec.Axpy(w[j]*p[0], z.Row(j), dx)
	}
}
