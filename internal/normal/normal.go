// Package normal has functions of the standard normal distribution that the standard library lacks.
package normal

import "math"

// LogCDF returns ln Phi(z) and the ratio N(z)/Phi(z). It is accurate far in the lower tail too,
// where Phi itself is zero in double precision.
func LogCDF(z float64) (log, ratio float64) {
	if z > -30 {
		phi := 0.5 * math.Erfc(-z/math.Sqrt2)
		return math.Log(phi), math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / phi
	}
	// Phi(z) = N(z)/|z| (1 - 1/z^2 + 3/z^4 - 15/z^6 + ...), error below 1e-9 here.
	v := 1 / (z * z)
	s := 1 - v*(1-v*(3-v*(15-105*v)))
	return -z*z/2 - math.Log(-z*math.Sqrt(2*math.Pi)) + math.Log(s), -z / s
}
