package psi

import (
	"math"

	"unfold/sparse/par"
	"unfold/sparse/vec"
)

// Kernel is the covariance function.
type Kernel struct {
	Variance float64   // v
	Alpha    []float64 // inverse squared length scales, one a dimension
}

// Inputs are n uncertain inputs, means and variances n x q.
type Inputs struct{ Mu, S vec.Matrix[float64] }

// Certain returns inputs without variance.
func Certain(x vec.Matrix[float64]) Inputs { return Inputs{x, vec.New[float64](x.Rows, x.Cols)} }

// strip is how many rows make a task.
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

// MatrixGradient adds the derivatives of sum_ab W_ab k(z_a, z_b), W symmetric.
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
	par.Ranges(threads, in.Mu.Rows, strip, func(_, from, to int) {
		c := make([]float64, len(k.Alpha))
		for n := from; n < to; n++ {
			scale := k.Variance
			for q, alpha := range k.Alpha {
				w := alpha*in.S.Row(n)[q] + 1
				scale /= math.Sqrt(w)
				c[q] = alpha / (2 * w)
			}
			for a := range z.Rows {
				sum := 0.0
				for q, v := range in.Mu.Row(n) {
					d := v - z.Row(a)[q]
					sum += c[q] * d * d
				}
				dst.Row(n)[a] = scale * math.Exp(-sum)
			}
		}
	})
}

// pairs holds what Psi2 needs of the pairs a >= b of inducing inputs: their
// middles and v^2 exp(-alpha (z_a - z_b)^2/4).
type pairs struct {
	m      int
	middle vec.Matrix[float64] // pairs x q
	factor []float64
}

func (k *Kernel) pairs(z vec.Matrix[float64]) *pairs {
	m := z.Rows
	p := &pairs{m: m, middle: vec.New[float64](m*(m+1)/2, z.Cols), factor: make([]float64, m*(m+1)/2)}
	at := 0
	for a := range m {
		for b := range a + 1 {
			sum := 0.0
			for q, alpha := range k.Alpha {
				d := z.Row(a)[q] - z.Row(b)[q]
				sum += alpha * d * d / 4
				p.middle.Row(at)[q] = (z.Row(a)[q] + z.Row(b)[q]) / 2
			}
			p.factor[at] = k.Variance * k.Variance * math.Exp(-sum)
			at++
		}
	}
	return p
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

// Second writes sum_n weight_n Psi2n to dst, m x m.
func (k *Kernel) Second(dst vec.Matrix[float64], weight []float64, in Inputs, z vec.Matrix[float64], threads int) {
	p := k.pairs(z)
	sums := vec.New[float64](par.Pieces(in.Mu.Rows, 4*strip), len(p.factor))
	par.Ranges(threads, in.Mu.Rows, 4*strip, func(piece, from, to int) {
		c, sum := make([]float64, len(k.Alpha)), sums.Row(piece)
		for n := from; n < to; n++ {
			scale := weight[n] * k.scales(c, in.S.Row(n))
			mu := in.Mu.Row(n)
			for at := range p.factor {
				e := 0.0
				for q, v := range p.middle.Row(at) {
					d := mu[q] - v
					e += c[q] * d * d
				}
				sum[at] += scale * math.Exp(-e)
			}
		}
	})
	for piece := 1; piece < sums.Rows; piece++ {
		vec.Axpy(1, sums.Row(piece), sums.Row(0))
	}
	at := 0
	for a := range p.m {
		for b := range a + 1 {
			v := 0.0
			if sums.Rows > 0 {
				v = p.factor[at] * sums.Row(0)[at]
			}
			dst.Row(a)[b], dst.Row(b)[a] = v, v
			at++
		}
	}
}

// Traces writes tr(W Psi2n) to dst_n for a symmetric W: one pass, no Psi2n kept.
func (k *Kernel) Traces(dst []float64, w vec.Matrix[float64], in Inputs, z vec.Matrix[float64], threads int) {
	p := k.pairs(z)
	at := 0
	for a := range p.m {
		for b := range a + 1 {
			p.factor[at] *= w.Row(a)[b]
			if a != b {
				p.factor[at] *= 2
			}
			at++
		}
	}
	par.Ranges(threads, in.Mu.Rows, strip, func(_, from, to int) {
		c := make([]float64, len(k.Alpha))
		for n := from; n < to; n++ {
			scale, mu, sum := k.scales(c, in.S.Row(n)), in.Mu.Row(n), 0.0
			for at, f := range p.factor {
				e := 0.0
				for q, v := range p.middle.Row(at) {
					d := mu[q] - v
					e += c[q] * d * d
				}
				sum += f * math.Exp(-e)
			}
			dst[n] = scale * sum
		}
	})
}
