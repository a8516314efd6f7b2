package gplvm

import (
	"context"
	"math"

	"unfold/internal/vec"
	"unfold/models"
)

var _ models.Likely = (*Placer)(nil)

// LogLik returns the log-likelihood of each event at its place; see models.Likely. Its q observed
// values are independent given the place x, each with the mean and the variance that the process
// predicts there (Lawrence 2005, eq 19 to 21, at the most likely place as section 8.1 has it), so
// that values which are missing leave the marginal of the others:
//
//	loglik(z) = sum_c ln N(y_c | mu_c(x), v_c(x) + noise) + q ln scale,
//
// y = (z - shift) scale. The last term makes it the density of the values that the model sees, after
// principal components if there are any. With probit noise it is the logarithm of the probability
// of the zeros and ones. The prior of places is not part of it. A vector that was learnt has the
// likelihood by a model that knows it, which is higher than that of an equal vector that is new.
func (p *Placer) LogLik(ctx context.Context, x vec.Matrix[float32], at models.Placed) ([]float32, error) {
	return p.LogLiksAt(ctx, x, at, func() func(z []float32, place []float64) float64 { return p.by.invite().logLik })
}

// logLik returns the log-likelihood of z, NaN where missing, at a place in the frame of learning.
func (w *guest) logLik(z []float32, x []float64) (sum float64) {
	w.Units.Apply(w.y, z)
	w.active.Predict(w.likelihood.mean, w.likelihood.variance, x, w.likelihood)
	noise, observed := w.active.s.noise, 0.0
	for c, y := range w.y {
		if math.IsNaN(y) {
			continue
		}
		// Rounding may leave a variance of a place among many points below 0.
		logZ, _, _ := noise.LogZ(y, w.active.s.bias[c], w.likelihood.mean[c], max(w.likelihood.variance[c], 0))
		sum += logZ
		observed++
	}
	if noise.Name() == NoiseProbit {
		return sum
	}
	return sum + observed*math.Log(w.Units.Scale)
}
