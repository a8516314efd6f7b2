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
	// weights are Kuu^-1 - M^-1, and spread is weights minus gamma gamma'.
	weights, spread vec.Matrix[float64]
	threads         int
}

// Predictor returns the predictions of the present sites: u has the posterior N(Kuu gamma, Kuu M^-1
// Kuu).
func (s *Sparse) Predictor() *Predictor {
	p := &Predictor{kernel: s.Kernel, z: s.Z, gamma: append([]float64(nil), s.gamma...), weights: s.inverse.Clone(), threads: s.threads}
	vec.Axpy(-1, s.inverseM().Data, p.weights.Data)
	p.spread = p.weights.Clone()
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

// PredictCertain is Predict for inputs without variance, x of n x q. It does not need the O(m^2)
// exponentials per input.
func (p *Predictor) PredictCertain(mean, variance []float64, x vec.Matrix[float64]) {
	first := vec.New[float64](x.Rows, p.z.Rows)
	p.kernel.First(first, psi.Certain(x), p.z, p.threads)
	for i := range mean {
		k := first.Row(i)
		mean[i] = vec.Dot(k, p.gamma)
		less := 0.0
		for a, v := range k {
			less += v * vec.Dot(p.weights.Row(a), k)
		}
		variance[i] = max(0, p.kernel.Variance-less)
	}
}
