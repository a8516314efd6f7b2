package kernel

import (
	"math"

	"unfold/internal/simd/pairwise"
)

// Bias is a constant covariance, the same offset for all points.
type Bias struct{}

// Name implements Part.
func (Bias) Name() string { return "bias" }

// Params implements Part.
func (Bias) Params() []string { return []string{"variance"} }

// Start implements Part.
func (Bias) Start() []float64 { return []float64{math.Exp(-1)} }

// Add implements Part.
func (Bias) Add(dst, p, _ []float64, _ *Points, _ *Room) {
	for j := range dst {
		dst[j] += p[0]
	}
}

// Gradient implements Part.
func (Bias) Gradient(dp, _, w, _, _ []float64, _ *Points, _ *Room) { pairwise.Gather(dp, w, nil) }

// Self implements Part.
func (Bias) Self(p, _ []float64) float64 { return p[0] }

// GradientSelf implements Part.
func (Bias) GradientSelf(dp, _ []float64, weight float64, _, _ []float64) { dp[0] += weight }

// White is independent noise at every point: a variance on the diagonal.
type White struct{}

// Name implements Part.
func (White) Name() string { return "white" }

// Params implements Part.
func (White) Params() []string { return []string{"variance"} }

// Start implements Part.
func (White) Start() []float64 { return []float64{math.Exp(-1)} }

// Add implements Part. Different points have no covariance.
func (White) Add(_, _, _ []float64, _ *Points, _ *Room) {}

// Gradient implements Part.
func (White) Gradient(_, _, _, _, _ []float64, _ *Points, _ *Room) {}

// Self implements Part.
func (White) Self(p, _ []float64) float64 { return p[0] }

// GradientSelf implements Part.
func (White) GradientSelf(dp, _ []float64, weight float64, _, _ []float64) { dp[0] += weight }
