package spd

import (
	gonum "gonum.org/v1/gonum/blas"

	"unfold/internal/simd/gemm"
	"unfold/internal/vec"
)

// FactorLeading runs the first k columns of Factor. It overwrites the lower triangle of a: the
// first k columns with L11 and L21, the others with the Schur complement A22 - L21 L21'.
func FactorLeading(a vec.Matrix[float64], k, threads int) error {
	g, b := gemm.Implementation{Threads: threads}, whole(a)
	b11, b21, b22 := b.at(0, 0, k, k), b.from(k, 0, k), b.from(k, k, b.n-k)
	if err := factor(g, b11, 0); err != nil || b22.n == 0 || k == 0 {
		return err
	}
	g.Dtrsm(gonum.Right, gonum.Lower, gonum.Trans, gonum.NonUnit, b21.n, k, 1, b11.a, b.ld, b21.a, b.ld)
	g.Dsyrk(gonum.Lower, gonum.NoTrans, b22.n, k, -1, b21.a, b.ld, 1, b22.a, b.ld)
	return nil
}

// InvertLeading completes an inverse S. a has the output of FactorLeading in its first k columns
// and the part S22, both triangles, in the rest. With Y = L21 L11^-1 it sets
//
//	S21 = -S22 Y,  S11 = (L11 L11')^-1 + Y' S22 Y.
func InvertLeading(a vec.Matrix[float64], k, threads int) {
	g, b := gemm.Implementation{Threads: threads}, whole(a)
	b11, b21, b22 := b.at(0, 0, k, k), b.from(k, 0, k), b.from(k, k, b.n-k)
	if k == 0 {
		return
	}
	var y vec.Matrix[float64]
	if b22.n > 0 {
		g.Dtrsm(gonum.Right, gonum.Lower, gonum.NoTrans, gonum.NonUnit, b21.n, k, 1, b11.a, b.ld, b21.a, b.ld)
		y = vec.New[float64](b21.n, k)
		for i := range y.Rows {
			copy(y.Row(i), b21.a[i*b.ld:])
		}
		g.Dgemm(gonum.NoTrans, gonum.NoTrans, b21.n, k, b22.n, -1, b22.a, b.ld, y.Data, k, 0, b21.a, b.ld)
	}
	invert(g, b11)
	if b22.n > 0 {
		g.Dgemmtr(gonum.Lower, gonum.Trans, gonum.NoTrans, k, b21.n, -1, y.Data, k, b21.a, b.ld, 1, b11.a, b.ld)
	}
	Mirror(a, threads)
}

// from returns the part of b from (i, j) down with m columns, empty if there are no rows.
func (b block) from(i, j, m int) block {
	if i == b.n {
		return block{nil, b.ld, 0, m}
	}
	return b.at(i, j, b.n-i, m)
}
