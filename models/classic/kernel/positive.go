package kernel

import "math"

// Positive sets dst to theta = ln(1 + e^free), element by element
// (Lawrence 2005, 7.1.5).
func Positive(dst, free []float64) {
	for i, v := range free {
		dst[i] = max(v, 0) + math.Log1p(math.Exp(-math.Abs(v)))
	}
}

// Free sets dst to the unbounded parameters ln(e^theta - 1) of positive ones.
func Free(dst, theta []float64) {
	for i, v := range theta {
		dst[i] = v + math.Log(-math.Expm1(-v))
	}
}

// ToFree converts derivatives in theta to derivatives in the unbounded parameters, in place, by the
// factor 1 - e^-theta.
func ToFree(d, theta []float64) {
	for i, v := range theta {
		d[i] *= -math.Expm1(-v)
	}
}
