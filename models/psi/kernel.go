package psi

import (
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/simd/exp"
	"unfold/internal/vec"
)

// Kernel is the covariance function.
type Kernel struct {
	Variance float64   // v
	Alpha    []float64 // inverse squared length scales, one a dimension
}

// Clone returns a copy.
func (k *Kernel) Clone() Kernel { return Kernel{k.Variance, slices.Clone(k.Alpha)} }

// Inputs are n uncertain inputs, with means and variances of n x q.
type Inputs struct{ Mu, S vec.Matrix[float64] }

// Certain returns inputs without variance.
func Certain(x vec.Matrix[float64]) Inputs { return Inputs{x, vec.New[float64](x.Rows, x.Cols)} }

// strip is the number of rows in one task.
const strip = 64

// Matrix writes k(z_a, z_b) to dst, m x m.
func (k *Kernel) Matrix(dst, z vec.Matrix[float64]) {
	for a := range z.Rows {
		for b := range a + 1 {
			sum := 0.0
			for q, alpha := range k.Alpha {
				d := z.Row(a)[q] - z.Row(b)[q]
				sum += alpha * d * d
			}
			v := k.Variance * math.Exp(-sum/2)
			dst.Row(a)[b], dst.Row(b)[a] = v, v
		}
	}
}

// MatrixGradient adds the derivatives of sum_ab W_ab k(z_a, z_b) for a symmetric W.
func (k *Kernel) MatrixGradient(g *Gradient, w, z vec.Matrix[float64]) {
	for a := range z.Rows {
		for b := range z.Rows {
			sum := 0.0
			for q, alpha := range k.Alpha {
				d := z.Row(a)[q] - z.Row(b)[q]
				sum += alpha * d * d
			}
			e := w.Row(a)[b] * math.Exp(-sum/2)
			g.Variance += e
			e *= k.Variance
			for q, alpha := range k.Alpha {
				d := z.Row(a)[q] - z.Row(b)[q]
				g.Alpha[q] -= e / 2 * d * d
				g.Z.Row(a)[q] -= 2 * e * alpha * d
			}
		}
	}
}

// First writes Psi1 to dst, n x m.
func (k *Kernel) First(dst vec.Matrix[float64], in Inputs, z vec.Matrix[float64], threads int) {
	across := vec.Transpose(z)
	par.Ranges(threads, in.Mu.Rows, strip, func(_, from, to int) {
		c := make([]float64, len(k.Alpha))
		for n := from; n < to; n++ {
			scale := k.Variance
			for q, alpha := range k.Alpha {
				w := alpha*in.S.Row(n)[q] + 1
				scale /= math.Sqrt(w)
				c[q] = alpha / (2 * w)
			}
			exp.Gauss(dst.Row(n), across.Data, across.Cols, in.Mu.Row(n), c)
			vec.Scale(scale, dst.Row(n))
		}
	})
}

// scales sets c_q = alpha_q/(2 alpha_q S_q + 1) and returns prod_q (2 alpha_q S_q
// + 1)^-1/2.
func (k *Kernel) scales(c, s []float64) float64 {
	scale := 1.0
	for q, alpha := range k.Alpha {
		w := 2*alpha*s[q] + 1
		scale /= math.Sqrt(w)
		c[q] = alpha / w
	}
	return scale
}
