package ep

import (
	gonum "gonum.org/v1/gonum/blas"

	"unfold/internal/simd/gemm"
	"unfold/internal/vec"
	"unfold/models/psi"
)

// Joint predicts C functions that share kernel and inducing inputs, so that exponentials are
// computed once for all. It is read-only and safe for concurrent use.
type Joint struct {
	Kernel psi.Kernel
	Z      vec.Matrix[float64] // m x q
	// Gamma are the weights of the means, m x C. Spread contains, for each function, the lower
	// triangle by rows of Kuu^-1 - M^-1 - gamma gamma', C x m(m+1)/2.
	Gamma, Spread vec.Matrix[float64]
	traces        *psi.Traces
}

// NewJoint returns the predictions of runs on one Process in their present state.
func NewJoint(all []*Sparse) *Joint {
	first := all[0]
	m := first.Z.Rows
	j := &Joint{Kernel: first.Kernel.Clone(), Z: first.Z.Clone(), Gamma: vec.New[float64](m, len(all)), Spread: vec.New[float64](len(all), m*(m+1)/2)}
	for c, s := range all {
		p, at := s.Predictor(), 0
		for a := range m {
			j.Gamma.Row(a)[c] = p.gamma[a]
			at += copy(j.Spread.Row(c)[at:], p.spread.Row(a)[:a+1])
		}
	}
	j.Prepare()
	return j
}

// Prepare must be called before Predict if the fields were set directly.
func (j *Joint) Prepare() {
	m := j.Z.Rows
	w := make([]vec.Matrix[float64], j.Spread.Rows)
	for c := range w {
		w[c] = vec.New[float64](m, m)
		at := 0
		for a := range m {
			at += copy(w[c].Row(a)[:a+1], j.Spread.Row(c)[at:])
		}
	}
	j.traces = psi.NewTraces(&j.Kernel, w, j.Z)
}

// Predict writes the means and variances of the functions, n x C, like Predictor.Predict. The
// result for an input does not depend on the other inputs.
func (j *Joint) Predict(mean, variance vec.Matrix[float64], in psi.Inputs, threads int) {
	n, m, c := in.Mu.Rows, j.Z.Rows, j.Gamma.Cols
	first := vec.New[float64](n, m)
	j.Kernel.First(first, in, j.Z, threads)
	gemm.Implementation{Threads: threads}.Dgemm(gonum.NoTrans, gonum.NoTrans, n, c, m, 1, first.Data, m, j.Gamma.Data, c, 0, mean.Data, c)
	j.traces.Apply(variance, in, threads)
	for i, v := range mean.Data {
		variance.Data[i] = max(0, j.Kernel.Variance-variance.Data[i]-v*v)
	}
}
