package student

import (
	"context"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/placing"
)

var _ models.Likely = (*Placer)(nil)

// LogLik returns how likely the lengths of the edges are that each event sends, given its place and
// everything else frozen; see models.Likely:
//
//	loglik(x) = sum_j S_xj ln f(t_xj),  t_xj = max(|x - x_j|^2 / unit, the lower clip),      (H25)
//
// over the k nearest reference points other than the event itself, with the weights S_xj of H22, the
// density f of placing.Length, and for sigma_x^2 the mean of the neighbours'. Learning clips lengths
// on both sides, so that no outlier bends the map. Here only the lower clip holds: beyond the upper
// one an event would not become less likely with its distance.
func (p *Placer) LogLik(ctx context.Context, x vec.Matrix[float32], at models.Placed) ([]float32, error) {
	length := placing.Length{Dims: p.Dims(), Tail: p.snap.Student.Tail}
	return p.LogLiksOfEdges(ctx, x, at, func(mu []float32, index []int32, dist2 []float64) float64 {
		return p.logLik(length, mu, index, dist2)
	})
}

func (p *Placer) logLik(length placing.Length, mu []float32, index []int32, dist2 []float64) (sum float64) {
	st := p.snap.Student
	sent := p.sent[:min(len(p.sent), len(index))]
	var sigma2, total float64
	for m, s := range sent {
		sigma2 += float64(s * p.snap.Sigma2[index[m]])
		total += s
	}
	sigma2 /= total
	for m, s := range sent {
		j := int(index[m])
		t := max(dist2[m]/st.Unit, st.Clip[0])
		sum += float64(s * length.LogDensity(t, sigma2+p.snap.Sigma2[j], placing.Squared(mu, p.snap.Mu.Row(j))))
	}
	return sum
}
