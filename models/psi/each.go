package psi

import (
	"unfold/internal/par"
	"unfold/internal/vec"
)

// Each writes the Psi2n to dst, a row each: their lower triangles, a >= b, by rows. dst is
// n x m(m+1)/2. Second needs no such memory; Each is for sums over many subsets of the inputs.
func (k *Kernel) Each(dst vec.Matrix[float64], in Inputs, z vec.Matrix[float64], threads int) {
	p := k.pairs(z)
	par.Ranges(threads, in.Mu.Rows, strip, func(_, first, end int) {
		c := make([]float64, len(k.Alpha))
		for i := first; i < end; i++ {
			row, scale := dst.Row(i), k.scales(c, in.S.Row(i))
			p.exponentials(row, c, in.Mu.Row(i), 0)
			for at, factor := range p.factor {
				row[at] *= scale * factor
			}
		}
	})
}

// EachGradient adds the derivatives of sum_n sum_ab W_n,ab Psi2n_ab for symmetric W_n, whose lower
// triangles are the rows of w, as those of Each.
func (k *Kernel) EachGradient(g *Gradient, w vec.Matrix[float64], in Inputs, z vec.Matrix[float64], threads int) {
	p := k.pairs(z)
	at := 0
	for a := range p.m { // both halves count
		for b := range a + 1 {
			if a != b {
				p.factor[at] *= 2
			}
			at++
		}
	}
	ones := make([]float64, in.Mu.Rows)
	for i := range ones {
		ones[i] = 1
	}
	k.secondGradient(g, p, ones, w, in, z, threads)
}
