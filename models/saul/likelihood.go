package saul

import (
	"context"
	"math"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/placing"
)

var _ models.Likely = (*Placer)(nil)

// LogLik returns how likely the lengths of the edges are that each event sends, given its place and
// everything else frozen; see models.Likely:
//
//	loglik(x) = sum_j ln f(t_xj),  t_xj = |x - x_j|^2 / (2 ln 2),
//
// over the nearest reference points other than the event itself, with the density f of
// placing.Length and for sigma_x^2 the mean of the neighbours'. The event's own variance (eq 21)
// grows with its distance, and would make up for a part of it.
func (p *Placer) LogLik(ctx context.Context, x vec.Matrix[float32], at models.Placed) ([]float32, error) {
	length := placing.Length{Dims: p.Dims()}
	return p.LogLiksOfEdges(ctx, x, at, func(mu []float32, index []int32, dist2 []float64) float64 {
		return p.logLik(length, mu, index[:min(len(index), p.set.Neighbors)], dist2)
	})
}

func (p *Placer) logLik(length placing.Length, mu []float32, index []int32, dist2 []float64) (sum float64) {
	var sigma2 float64
	for _, j := range index {
		sigma2 += p.snap.Sigma2[j]
	}
	sigma2 /= float64(len(index))
	for m, j := range index {
		t := dist2[m] / (2 * math.Ln2)
		sum += length.LogDensity(t, sigma2+p.snap.Sigma2[j], placing.Squared(mu, p.snap.Mu.Row(int(j))))
	}
	return sum
}
