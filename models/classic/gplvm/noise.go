package gplvm

import (
	"fmt"
	"math"

	"unfold/internal/normal"
	"unfold/internal/vec"
)

// Noise is the distribution of a value y given its Gaussian process f (section 5).
type Noise interface {
	// Name returns the name in settings.
	Name() string
	// Bias returns the constant that is added to f, estimated from the observed values of an
	// output.
	Bias(observed []float64) float64
	// LogZ returns ln Z, where Z is the integral of p(y|f) N(f | mean, variance) over f. It also
	// returns the derivative g by the mean and nu = g^2 - 2 dlnZ/dvariance (eq 17).
	LogZ(y, bias, mean, variance float64) (logZ, g, nu float64)
	// Site returns the mean and the precision of the Gaussian that approximates p(y|f) (eq 15, 16).
	Site(y, bias, mean, variance, g, nu float64) (m, beta float64)
	// Shared reports whether nu is independent of y, so that all outputs have the same covariance.
	Shared() bool
}

// DefaultVariance is the default of the noise model's own variance.
const DefaultVariance = 1e-6

// Names of noise.
const (
	noiseGaussian = "gaussian"
	// NoiseProbit is for values of 0 and 1.
	NoiseProbit = "probit"
)

// noiseOf returns the noise of a name.
func noiseOf(name string) (Noise, error) {
	switch name {
	case noiseGaussian:
		return Gaussian{DefaultVariance}, nil
	case NoiseProbit:
		return Probit{DefaultVariance}, nil
	}
	return nil, fmt.Errorf("unknown noise model %q: want %s or %s", name, noiseGaussian, NoiseProbit)
}

// Gaussian is y = f + bias + N(0, Variance).
type Gaussian struct{ Variance float64 }

// Name implements Noise.
func (Gaussian) Name() string { return noiseGaussian }

// Shared implements Noise.
func (Gaussian) Shared() bool { return true }

// Bias implements Noise: the mean.
func (Gaussian) Bias(observed []float64) (mean float64) {
	for _, v := range observed {
		mean += v
	}
	return mean / float64(len(observed))
}

// LogZ implements Noise.
func (n Gaussian) LogZ(y, bias, mean, variance float64) (logZ, g, nu float64) {
	nu = 1 / (variance + n.Variance)
	r := y - bias - mean
	return -0.5 * (math.Log(2*math.Pi/nu) + r*r*nu), r * nu, nu
}

// Site implements Noise. It is exactly the likelihood.
func (n Gaussian) Site(y, bias, _, _, _, _ float64) (m, beta float64) {
	return y - bias, 1 / n.Variance
}

// Probit is y = 1 with probability Phi((f + bias)/sqrt(Variance)), else -1.
type Probit struct{ Variance float64 }

// Name implements Noise.
func (Probit) Name() string { return NoiseProbit }

// Shared implements Noise.
func (Probit) Shared() bool { return false }

// Bias implements Noise: Phi^-1 of the share of y = 1, kept away from 0 and 1 by half a value.
func (Probit) Bias(observed []float64) float64 {
	ones := 0.0
	for _, v := range observed {
		if v > 0 {
			ones++
		}
	}
	n := float64(len(observed))
	share := min(max(ones, 0.5), n-0.5) / n
	return math.Sqrt2 * math.Erfinv(2*share-1)
}

// LogZ implements Noise: with u = y (mean + bias)/sqrt(variance + Variance), c =
// y/sqrt(variance + Variance), r = N(u)/Phi(u): g = c r, nu = c^2 r (u + r).
func (n Probit) LogZ(y, bias, mean, variance float64) (logZ, g, nu float64) {
	c := y / math.Sqrt(variance+n.Variance)
	u := c * (mean + bias)
	logZ, r := normal.LogCDF(u)
	return logZ, c * r, c * c * r * (u + r)
}

// Site implements Noise.
func (n Probit) Site(_, _, mean, variance, g, nu float64) (m, beta float64) {
	return g/nu + mean, nu / (1 - nu*variance)
}

// Probability returns the probability of y = 1, Phi((mean + bias)/sqrt(variance + Variance)): the
// integral of p(1|f) N(f | mean, variance).
func (n Probit) Probability(bias, mean, variance float64) float64 {
	return 0.5 * math.Erfc(-(mean+bias)/math.Sqrt(2*(variance+n.Variance)))
}

// biases returns the bias of each column of y, NaN where missing.
func biases(noise Noise, y vec.Matrix[float64]) []float64 {
	bias := make([]float64, y.Cols)
	for j := range bias {
		var observed []float64
		for i := range y.Rows {
			if v := y.Row(i)[j]; !math.IsNaN(v) {
				observed = append(observed, v)
			}
		}
		bias[j] = noise.Bias(observed)
	}
	return bias
}
