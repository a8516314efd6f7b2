package spd

import "unfold/internal/vec"

// jitters is the number of attempts of FactorJitter: from 1e-12 to 1e-2 of the mean diagonal
// element.
const jitters = 11

// FactorJitter is Factor for a matrix that rounding may have made indefinite. It adds 1e-12 of the
// mean diagonal element to the diagonal, then ten times as much, and so on, until the factorisation
// succeeds. It returns the added amount, 0 if none. a must have both triangles and is overwritten.
// If 1e-2 of the mean is not enough it returns the last *IndefiniteError.
func FactorJitter(a vec.Matrix[float64], threads int) (jitter float64, err error) {
	diagonal := make([]float64, a.Rows)
	mean := 0.0
	for i := range diagonal {
		diagonal[i] = a.Data[i*a.Cols+i]
		mean += diagonal[i] / float64(len(diagonal))
	}
	for try := range jitters + 1 {
		if err = Factor(a, threads); err == nil || !(mean > 0) {
			return jitter, err
		}
		if jitter == 0 {
			jitter = 1e-12 * mean
		} else {
			jitter *= 10
		}
		if try == jitters {
			break
		}
		// The upper triangle is still that of a.
		for i, d := range diagonal {
			for j := range i {
				a.Data[i*a.Cols+j] = a.Data[j*a.Cols+i]
			}
			a.Data[i*a.Cols+i] = d + jitter
		}
	}
	return 0, err
}
