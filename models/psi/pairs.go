package psi

import (
	"math"

	"unfold/internal/par"
	"unfold/internal/simd/exp"
	"unfold/internal/vec"
)

// pairs has the factors of Psi2 that depend on the pairs a >= b of inducing inputs, by rows of the
// lower triangle.
type pairs struct {
	m int
	// middle has the midpoints of the pairs, dims x pairs, and factor is v^2 exp(-alpha (z_a -
	// z_b)^2/4).
	middle vec.Matrix[float64]
	factor []float64
}

// chunk is the number of pairs that are processed at a time, so that they stay in the first-level
// cache.
const chunk = 512

// most is the maximum number of pieces of the inputs, since every piece has its own sums over all
// pairs.
const most = 16

// piece returns the number of inputs in such a piece, out of n.
func piece(n int) int { return max(4*strip, (n+most-1)/most) }

func (k *Kernel) pairs(z vec.Matrix[float64]) *pairs {
	m := z.Rows
	p := &pairs{m: m, middle: vec.New[float64](z.Cols, m*(m+1)/2), factor: make([]float64, m*(m+1)/2)}
	at := 0
	for a := range m {
		for b := range a + 1 {
			sum := 0.0
			for q, alpha := range k.Alpha {
				d := z.Row(a)[q] - z.Row(b)[q]
				sum += alpha * d * d / 4
				p.middle.Row(q)[at] = (z.Row(a)[q] + z.Row(b)[q]) / 2
			}
			p.factor[at] = k.Variance * k.Variance * math.Exp(-sum)
			at++
		}
	}
	return p
}

// weigh multiplies the factors by the elements of a symmetric W, counting both halves.
func (p *pairs) weigh(w vec.Matrix[float64]) {
	at := 0
	for a := range p.m {
		for b, v := range w.Row(a)[:a+1] {
			if a != b {
				v *= 2
			}
			p.factor[at] *= v
			at++
		}
	}
}

// chunks calls f for consecutive ranges of pairs, a chunk each.
func (p *pairs) chunks(f func(from, to int)) {
	for from := 0; from < len(p.factor); from += chunk {
		f(from, min(from+chunk, len(p.factor)))
	}
}

// exponentials writes exp(-sum_q c_q (mu_q - middle_q)^2) to dst, for the pairs beginning with
// from.
func (p *pairs) exponentials(dst, c, mu []float64, from int) {
	exp.Gauss(dst, p.middle.Data[from:], p.middle.Cols, mu, c)
}

// Second writes sum_n weight_n Psi2n to dst (m x m).
func (k *Kernel) Second(dst vec.Matrix[float64], weight []float64, in Inputs, z vec.Matrix[float64], threads int) {
	p, n := k.pairs(z), in.Mu.Rows
	sums := vec.New[float64](par.Pieces(n, piece(n)), len(p.factor))
	par.Ranges(threads, n, piece(n), func(part, first, end int) {
		c, e := make([]float64, len(k.Alpha)), make([]float64, chunk)
		p.chunks(func(from, to int) {
			e, sum := e[:to-from], sums.Row(part)[from:to]
			for i := first; i < end; i++ {
				if scale := weight[i] * k.scales(c, in.S.Row(i)); scale != 0 {
					p.exponentials(e, c, in.Mu.Row(i), from)
					vec.Axpy(scale, e, sum)
				}
			}
		})
	})
	clear(dst.Data)
	for part := range sums.Rows {
		at := 0
		for a := range p.m {
			row := dst.Row(a)
			for b := range a + 1 {
				row[b] += p.factor[at] * sums.Row(part)[at]
				at++
			}
		}
	}
	for a := range p.m {
		for b := range a {
			dst.Row(b)[a] = dst.Row(a)[b]
		}
	}
}

// Traces writes tr(W Psi2n) to dst_n for a symmetric W, in one pass and without storing Psi2n.
func (k *Kernel) Traces(dst []float64, w vec.Matrix[float64], in Inputs, z vec.Matrix[float64], threads int) {
	p := k.pairs(z)
	p.weigh(w)
	par.Ranges(threads, in.Mu.Rows, strip, func(_, first, end int) {
		c, e := make([]float64, len(k.Alpha)), make([]float64, chunk)
		clear(dst[first:end])
		p.chunks(func(from, to int) {
			e := e[:to-from]
			for i := first; i < end; i++ {
				scale := k.scales(c, in.S.Row(i))
				p.exponentials(e, c, in.Mu.Row(i), from)
				dst[i] += scale * vec.Dot(e, p.factor[from:to])
			}
		})
	})
}
