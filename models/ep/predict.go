package ep

import (
	"unfold/internal/vec"
	"unfold/models/psi"
)

// Predictor predicts the latent function at new inputs. It is immutable and safe for concurrent
// use.
type Predictor struct {
	kernel *psi.Kernel
	z      vec.Matrix[float64]
	gamma  []float64
	// spread is Kuu^-1 - M^-1 - gamma gamma'.
	spread  vec.Matrix[float64]
	threads int
}

// Predictor returns the predictions of the present sites: u has the posterior N(Kuu gamma, Kuu M^-1
// Kuu).
func (s *Sparse) Predictor() *Predictor {
	p := &Predictor{kernel: s.Kernel, z: s.Z, gamma: append([]float64(nil), s.gamma...), spread: s.inverse.Clone(), threads: s.threads}
	vec.Axpy(-1, s.inverseM().Data, p.spread.Data)
	for a, v := range p.gamma {
		vec.Axpy(-v, p.gamma, p.spread.Row(a))
	}
	return p
}

// Predict writes the mean and the variance of f at every input:
//
//	mean = Psi1'gamma,
//	variance = v - tr((Kuu^-1 - M^-1 - gamma gamma') Psi2) - mean^2,
//
// which for certain inputs is k** - k'Kuu^-1 k + k'M^-1 k.
func (p *Predictor) Predict(mean, variance []float64, in psi.Inputs) {
	first := vec.New[float64](in.Mu.Rows, p.z.Rows)
	p.kernel.First(first, in, p.z, p.threads)
	p.kernel.Traces(variance, p.spread, in, p.z, p.threads)
	for i := range mean {
		mean[i] = vec.Dot(first.Row(i), p.gamma)
		variance[i] = max(0, p.kernel.Variance-variance[i]-mean[i]*mean[i])
	}
}
