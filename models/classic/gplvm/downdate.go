package gplvm

import (
	gonum "gonum.org/v1/gonum/blas"

	"unfold/internal/simd/gemm"
	"unfold/internal/simd/spd"
	"unfold/internal/vec"
)

// Outputs that miss few rows M share one inverse P = K^-1 of all rows. With the rows O that a pattern
// observes,
//
//	K_OO^-1 = P_OO - P_OM P_MM^-1 P_MO,   log |K_OO| = log |K| + log |P_MM|,
//
// which take O(n^2 |M|) in the place of O(n^3). With U = L^-1 P_M: and P_MM = L L', P - U'U is
// K_OO^-1, and 0 in the rows and columns M, so it needs no gathering.

// leastPivot is the least share of a point's variance that the points before it must leave.
// Downdates lose about as many digits as its inverse has.
const leastPivot = 1e-8

// downdated reports whether the inverse of a pattern is computed that way: if it misses at most half
// of the n rows.
func (p *pattern) downdated(n int) bool { return 2*p.len(n) >= n }

// downdate adds the likelihood of all downdated patterns to v, and its derivative by K to the lower
// triangle of w, for K in m.k. It returns false, and changes nothing, if K is so nearly singular that
// downdates would be inexact.
func (m *Model) downdate(v *Value, gradient bool) bool {
	n := m.y.Rows
	inverse := m.k.Clone()
	if spd.Factor(inverse, m.threads) != nil {
		return false
	}
	for i := range n {
		if l := inverse.Row(i)[i]; l*l < leastPivot*m.k.Row(i)[i] {
			return false
		}
	}
	logDet, logLik, all := spd.LogDet(inverse), 0.0, 0.0
	spd.Invert(inverse, m.threads)
	g := gemm.Implementation{Threads: m.threads}
	// Columns of K_OO^-1 y, 0 in missing rows; first P y.
	solved := vec.New[float64](n, m.y.Cols)
	g.Dgemm(gonum.NoTrans, gonum.NoTrans, n, m.y.Cols, n, 1, inverse.Data, n, m.y.Data, m.y.Cols, 0, solved.Data, m.y.Cols)
	w := vec.New[float64](n, n)
	for c := range m.patterns {
		p := &m.patterns[c]
		if !p.downdated(n) {
			for _, j := range p.outputs {
				for i := range n {
					solved.Row(i)[j] = 0
				}
			}
			continue
		}
		missed := logDet
		if p.rows != nil {
			u, l, ok := m.missed(p, inverse)
			if !ok {
				return false
			}
			missed += l
			m.subtract(p, u, solved)
			if gradient {
				g.Dsyrk(gonum.Lower, gonum.Trans, n, u.Rows, 0.5*float64(len(p.outputs)), u.Data, n, 1, w.Data, n)
			}
		}
		square := 0.0
		for _, j := range p.outputs {
			for i := range n {
				square += m.y.Row(i)[j] * solved.Row(i)[j]
			}
		}
		logLik += likelihood(p.len(n), len(p.outputs), missed, square)
		all += float64(len(p.outputs))
	}
	v.LogLik += logLik
	if !gradient {
		return true
	}
	g.Dsyrk(gonum.Lower, gonum.NoTrans, n, m.y.Cols, 0.5, solved.Data, m.y.Cols, 1, w.Data, n)
	for i := range n {
		row, from, to := m.w.Row(i)[:i+1], w.Row(i), inverse.Row(i)
		for j := range row {
			row[j] += from[j] - 0.5*all*to[j]
		}
	}
	return true
}

// missed returns U and log |P_MM| of a pattern, |M| x n. It returns false if P_MM is not positive
// definite.
func (m *Model) missed(p *pattern, inverse vec.Matrix[float64]) (u vec.Matrix[float64], logDet float64, ok bool) {
	var rows []int32
	next := 0
	for i := range inverse.Rows {
		if next < len(p.rows) && int(p.rows[next]) == i {
			next++
			continue
		}
		rows = append(rows, int32(i))
	}
	u, corner := vec.Take(inverse, rows), vec.New[float64](len(rows), len(rows))
	for a := range rows {
		for b, j := range rows {
			corner.Row(a)[b] = u.Row(a)[j]
		}
	}
	if spd.Factor(corner, m.threads) != nil {
		return u, 0, false
	}
	spd.HalfSolve(corner, u, m.threads)
	return u, spd.LogDet(corner), true
}

// subtract takes U'U y from the columns of a pattern, which become 0 in the missing rows but for
// rounding.
func (m *Model) subtract(p *pattern, u, solved vec.Matrix[float64]) {
	n, outputs := m.y.Rows, len(p.outputs)
	y, at := vec.New[float64](n, outputs), vec.New[float64](u.Rows, outputs)
	for i := range n {
		for c, j := range p.outputs {
			y.Row(i)[c] = m.y.Row(i)[j]
		}
	}
	g := gemm.Implementation{Threads: m.threads}
	g.Dgemm(gonum.NoTrans, gonum.NoTrans, u.Rows, outputs, n, 1, u.Data, n, y.Data, outputs, 0, at.Data, outputs)
	g.Dgemm(gonum.Trans, gonum.NoTrans, n, outputs, u.Rows, -1, u.Data, n, at.Data, outputs, 0, y.Data, outputs)
	for i := range n {
		for c, j := range p.outputs {
			solved.Row(i)[j] += y.Row(i)[c]
		}
	}
	for i, next := 0, 0; i < n; i++ {
		if next < len(p.rows) && int(p.rows[next]) == i {
			next++
			continue
		}
		for _, j := range p.outputs {
			solved.Row(i)[j] = 0
		}
	}
}
