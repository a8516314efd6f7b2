package psi

import (
	"math"

	"unfold/internal/par"
	"unfold/internal/vec"
)

// Gradient has the derivatives of a function in all arguments of the statistics. Functions with a
// Gradient argument add to it.
type Gradient struct {
	Variance float64
	Alpha    []float64
	Z        vec.Matrix[float64] // m x q
	Mu, S    vec.Matrix[float64] // n x q
}

// NewGradient returns a zero gradient for n inputs and m inducing inputs of q dimensions.
func NewGradient(n, m, q int) *Gradient {
	return &Gradient{Alpha: make([]float64, q), Z: vec.New[float64](m, q), Mu: vec.New[float64](n, q), S: vec.New[float64](n, q)}
}

// FirstGradient adds the derivatives of sum_na W_na Psi1_na; W is n x m.
func (k *Kernel) FirstGradient(g *Gradient, w vec.Matrix[float64], in Inputs, z vec.Matrix[float64], threads int) {
	k.tasks(g, in, threads, func(part *Gradient, n int) {
		mu, s := in.Mu.Row(n), in.S.Row(n)
		dmu, ds := g.Mu.Row(n), g.S.Row(n)
		scale := 1.0
		for q, alpha := range k.Alpha {
			scale /= math.Sqrt(alpha*s[q] + 1)
		}
		for a := range z.Rows {
			za, sum := z.Row(a), 0.0
			for q, alpha := range k.Alpha {
				d := mu[q] - za[q]
				sum += alpha * d * d / (2 * (alpha*s[q] + 1))
			}
			e := w.Row(n)[a] * scale * math.Exp(-sum)
			part.Variance += e
			e *= k.Variance
			for q, alpha := range k.Alpha {
				// With r = alpha S + 1: log Psi1 = -1/2 log r - alpha d^2 / 2r.
				r, d := alpha*s[q]+1, mu[q]-za[q]
				slope := alpha * d / r
				dmu[q] -= e * slope
				part.Z.Row(a)[q] += e * slope
				ds[q] += e * (-alpha/(2*r) + slope*slope/2)
				part.Alpha[q] += e * (-s[q]/(2*r) - d*d/(2*r*r))
			}
		}
	})
}

// tasks calls f for every input. Each task has its own gradient for the inducing inputs and the
// kernel, and these are added in order. f writes only its own rows of Mu and S.
func (k *Kernel) tasks(g *Gradient, in Inputs, threads int, f func(part *Gradient, n int)) {
	parts := make([]*Gradient, par.Pieces(in.Mu.Rows, 4*strip))
	par.Ranges(threads, in.Mu.Rows, 4*strip, func(piece, from, to int) {
		part := NewGradient(0, g.Z.Rows, len(k.Alpha))
		parts[piece] = part
		for n := from; n < to; n++ {
			f(part, n)
		}
	})
	for _, part := range parts {
		g.Variance += part.Variance
		vec.Axpy(1, part.Alpha, g.Alpha)
		vec.Axpy(1, part.Z.Data, g.Z.Data)
	}
}
