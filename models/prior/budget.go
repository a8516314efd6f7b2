package prior

import (
	"math"
	"slices"

	"unfold/internal/quantile"
	"unfold/internal/vec"
)

// Budget bounds the distances of places from the frame: their median, 90th and 99th percentile, as
// shares of the frame's diameter. The zero value means no bounds.
type Budget [3]float64

// budgeted is the approximate number of points whose distances are measured.
const budgeted = 4096

// Spent returns the largest quotient of a percentile of the distances |mu_i - T(p_i)| and its
// bound, with T of the last Fit. It is 0 without a frame or bounds.
func (p *Prior) Spent(mu vec.Matrix[float64], b Budget) float64 {
	if p.silent(1) || b == (Budget{}) {
		return 0
	}
	var far, radius []float64
	stride := max(1, len(p.known)/budgeted)
	for q := 0; q < len(p.known); q += stride {
		i := int(p.known[q])
		p.at.Apply(p.row, p.frame.Row(i))
		far = append(far, vec.SquaredDistance(mu.Row(i), p.row))
		radius = append(radius, vec.SquaredDistance(p.row, p.at.To))
	}
	slices.Sort(far)
	slices.Sort(radius)
	diameter := 2 * math.Sqrt(quantile.Of(radius, 0.995))
	if diameter == 0 {
		return 0
	}
	spent := 0.0
	for k, at := range []float64{0.5, 0.9, 0.99} {
		spent = max(spent, math.Sqrt(quantile.Of(far, at))/(diameter*b[k]))
	}
	return spent
}
