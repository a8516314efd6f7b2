package spd

import "unfold/internal/vec"

// jitters is how often FactorJitter tries: from 1e-12 to 1e-2 of the mean
// diagonal element.
const jitters = 11

// FactorJitter is Factor for a matrix that rounding may have made indefinite: it
// adds 1e-12 of the mean diagonal element to the diagonal, then ten times as
// much, and so on, until there is a factor, and returns how much it has added, 0
// if nothing. a, both triangles of which have to be there, is overwritten; it
// fails with the last *IndefiniteError once 1e-2 of the mean has not sufficed.
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
