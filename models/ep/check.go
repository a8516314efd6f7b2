package ep

import (
	"math"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/psi"
)

// check validates the inputs of a process. Input variances may be infinite: the input is then
// unknown, and its Psi1 and Psi2 are zero.
func check(k *psi.Kernel, in psi.Inputs, z vec.Matrix[float64]) error {
	if !(k.Variance > 0) || math.IsInf(k.Variance, 0) {
		return models.BadInputf("the kernel's variance is %g: it must be a positive number", k.Variance)
	}
	for q, a := range k.Alpha {
		if !(a >= 0) || math.IsInf(a, 0) {
			return models.BadInputf("the kernel's alpha of dimension %d is %g: it must be a number not below zero", q, a)
		}
	}
	if dims := len(k.Alpha); in.Mu.Cols != dims || in.S.Cols != dims || z.Cols != dims || in.S.Rows != in.Mu.Rows {
		return models.BadInputf("inputs are %d x %d with variances %d x %d, inducing inputs %d x %d: the kernel has %d dimensions", in.Mu.Rows, in.Mu.Cols, in.S.Rows, in.S.Cols, z.Rows, z.Cols, dims)
	}
	if z.Rows == 0 {
		return models.BadInputf("there are no inducing inputs")
	}
	if err := models.CheckRows(in.Mu, nil); err != nil {
		return models.BadInputf("the inputs: %w", err)
	}
	if err := models.CheckRows(z, nil); err != nil {
		return models.BadInputf("the inducing inputs: %w", err)
	}
	for i, s := range in.S.Data {
		if !(s >= 0) {
			return models.BadInputf("input %d has the variance %g: it must not be negative", i/in.S.Cols, s)
		}
	}
	return nil
}

// checkValues returns an error for observations that the likelihood does not support.
func checkValues(l Likelihood, n int, y []float64) error {
	if len(y) != n {
		return models.BadInputf("there are %d values for %d inputs", len(y), n)
	}
	g, gaussian := l.(Gaussian)
	if gaussian && !(g.Variance > 0) {
		return models.BadInputf("the likelihood's variance is %g: it must be positive", g.Variance)
	}
	_, probit := l.(Probit)
	for i, v := range y {
		if probit && math.Abs(v) != 1 && !math.IsNaN(v) || math.IsInf(v, 0) {
			return models.BadInputf("value %d is %g: the likelihood does not know it", i, v)
		}
	}
	return nil
}
