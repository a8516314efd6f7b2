package ep

import "math"

// Likelihood is p(y|f) of one value.
type Likelihood interface {
	// Moments returns log Z, the mean and the variance of p(y|f) N(f|m, v)/Z.
	Moments(y, m, v float64) (logZ, mean, variance float64)
}

// Probit is Phi(y f), y = 1 or -1.
type Probit struct{}

// Moments implements Likelihood: with z = y m/sqrt(1+v), r = N(z)/Phi(z): mean = m +
// v y r/sqrt(1+v), variance = v - v^2 r (z+r)/(1+v).
func (Probit) Moments(y, m, v float64) (logZ, mean, variance float64) {
	root := math.Sqrt(1 + v)
	z := y * m / root
	logZ, r := logPhi(z)
	return logZ, m + v*y*r/root, v - v*v*r*(z+r)/(1+v)
}

// Gaussian is N(y | f, Variance).
type Gaussian struct{ Variance float64 }

// Moments implements Likelihood.
func (g Gaussian) Moments(y, m, v float64) (logZ, mean, variance float64) {
	w := v + g.Variance
	d := y - m
	return -0.5 * (math.Log(2*math.Pi*w) + d*d/w), m + v*d/w, v * g.Variance / w
}

// Probability returns the probability of y = 1 for f ~ N(mean, variance).
func Probability(mean, variance float64) float64 {
	return 0.5 * math.Erfc(-mean/math.Sqrt(2*(1+variance)))
}

// logPhi returns ln Phi(z) and N(z)/Phi(z), also far in the lower tail.
func logPhi(z float64) (log, ratio float64) {
	if z > -30 {
		phi := 0.5 * math.Erfc(-z/math.Sqrt2)
		return math.Log(phi), math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / phi
	}
	// Phi(z) = N(z)/|z| (1 - 1/z^2 + 3/z^4 - 15/z^6 + ...), error below 1e-9 here.
	v := 1 / (z * z)
	s := 1 - v*(1-v*(3-v*(15-105*v)))
	return -z*z/2 - math.Log(-z*math.Sqrt(2*math.Pi)) + math.Log(s), -z / s
}
