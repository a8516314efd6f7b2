package psi

import (
	"math"

	gonum "gonum.org/v1/gonum/blas"

	"unfold/internal/par"
	"unfold/internal/simd/gemm"
	"unfold/internal/vec"
)

// Traces computes tr(W_c Psi2n) for C symmetric matrices many times. It has the precomputed terms
// of the kernel and the inducing inputs, and is read-only.
type Traces struct {
	kernel Kernel
	pairs  *pairs
	// weights are the factors times W_c, pairs x C.
	weights vec.Matrix[float64]
}

// negligible is the largest error of a trace, as a share of the kernel's variance.
const negligible = 1e-10

// NewTraces precomputes the terms. It omits negligible pairs, which together are less than 1e-10 of
// the kernel's variance.
func NewTraces(k *Kernel, w []vec.Matrix[float64], z vec.Matrix[float64]) *Traces {
	p := k.pairs(z)
	t := &Traces{kernel: k.Clone(), pairs: &pairs{m: p.m}}
	var kept []int
	at := 0
	for a := range p.m {
		for b := range a + 1 {
			most := 0.0
			for _, one := range w {
				most = max(most, math.Abs(one.Row(a)[b]))
			}
			if p.factor[at]*most*float64(p.m*p.m) > negligible*k.Variance {
				kept = append(kept, at)
				for _, one := range w {
					v := p.factor[at] * one.Row(a)[b]
					if a != b {
						v *= 2
					}
					t.weights.Data = append(t.weights.Data, v)
				}
			}
			at++
		}
	}
	t.weights.Rows, t.weights.Cols = len(kept), len(w)
	t.pairs.factor = make([]float64, len(kept))
	t.pairs.middle = vec.New[float64](z.Cols, len(kept))
	for q := range z.Cols {
		for i, at := range kept {
			t.pairs.middle.Row(q)[i] = p.middle.Row(q)[at]
		}
	}
	return t
}

// Apply writes the traces of n inputs to dst, n x C.
func (t *Traces) Apply(dst vec.Matrix[float64], in Inputs, threads int) {
	par.Ranges(threads, in.Mu.Rows, strip, func(_, first, end int) {
		c := make([]float64, len(t.kernel.Alpha))
		e := vec.New[float64](end-first, chunk)
		g, cols := gemm.Implementation{Threads: 1}, dst.Cols
		out := dst.Slice(first, end)
		clear(out.Data)
		t.pairs.chunks(func(from, to int) {
			for i := range e.Rows {
				t.kernel.scales(c, in.S.Row(first+i))
				t.pairs.exponentials(e.Row(i)[:to-from], c, in.Mu.Row(first+i), from)
			}
			g.Dgemm(gonum.NoTrans, gonum.NoTrans, e.Rows, cols, to-from, 1, e.Data, chunk, t.weights.Data[from*cols:], cols, 1, out.Data, cols)
		})
		for i := range e.Rows {
			vec.Scale(t.kernel.scales(c, in.S.Row(first+i)), out.Row(i))
		}
	})
}
