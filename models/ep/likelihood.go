package ep

import (
	"math"

	"unfold/internal/normal"
)

// Likelihood is the likelihood p(y|f) of one value.
type Likelihood interface {
	// Match returns log Z, Z = <p(y|f)> under N(f|m, v), and the natural parameters of the Gaussian
	// in f that leads to the same posterior mean and variance as p(y|f). With a the first and -b
	// the second derivative of log Z by m they are
	//
	//	tau = b/(1 - v b),  nu = (a + m b)/(1 - v b),
	//
	// This is also accurate for small v, unlike differences of precisions.
	Match(y, m, v float64) (logZ, tau, nu float64)
}

// Probit is Phi(y f), y = 1 or -1.
type Probit struct{}

// Match implements Likelihood: with z = y m/sqrt(1+v), r = N(z)/Phi(z): a = y
// r/sqrt(1+v), b = r (z+r)/(1+v).
func (Probit) Match(y, m, v float64) (logZ, tau, nu float64) {
	root := math.Sqrt(1 + v)
	z := y * m / root
	logZ, r := normal.LogCDF(z)
	a, b := y*r/root, r*(z+r)/(1+v)
	left := 1 - v*b
	return logZ, b / left, (a + m*b) / left
}

// Gaussian is N(y | f, Variance).
type Gaussian struct{ Variance float64 }

// Match implements Likelihood.
func (g Gaussian) Match(y, m, v float64) (logZ, tau, nu float64) {
	w := v + g.Variance
	d := y - m
	return -0.5 * (math.Log(2*math.Pi*w) + d*d/w), 1 / g.Variance, y / g.Variance
}

// Probability returns the probability of y = 1 for f ~ N(mean, variance).
func Probability(mean, variance float64) float64 {
	return 0.5 * math.Erfc(-mean/math.Sqrt(2*(1+variance)))
}
