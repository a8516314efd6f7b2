package lllvm

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/multifrontal"
)

// The prior precision of C has the dense term epsilon 1 1' for each latent coordinate. With one
// front it is added as it is. Otherwise the fronts have F, in which 1 is added at one point z for
// each coordinate, so that F is definite without the dense term. With the columns V = [1_r e_zr]
// and D = diag(epsilon, -1),
//
//	F + V D V' has the inverse F^-1 - X S X',  X = F^-1 V,  S = (I + D V'X)^-1 D
//
// and the determinant |F| |I + D V'X| (Woodbury).

// anchor returns the point z, which is among those eliminated last.
func (m *Model) anchor() int {
	for f := len(m.g.tree.Fronts) - 1; f >= 0; f-- {
		if own := m.g.tree.Fronts[f].Own; len(own) > 0 {
			return int(own[0])
		}
	}
	return 0
}

// precisionC adds the prior precision of C. With several fronts it leaves the term of ones to
// withOnes.
func (m *Model) precisionC(p *patch, i int, row []float64) {
	precision(p, i, row)
	if !m.g.exact() {
		return
	}
	for j := range row {
		row[j] += m.set.Epsilon
	}
}

// addAnchor adds 1 at the anchor of each coordinate. This makes the matrix of several fronts
// definite without the term of ones.
func (m *Model) addAnchor(a *multifrontal.Matrix) {
	if m.g.exact() {
		return
	}
	for r := range m.set.Dims {
		a.AddTo(r, m.anchor(), 1)
	}
}

// withOnes converts the factor in CovC to the covariance, and sets MuC to the mean. MuC starts as
// gamma <H> with one front, and as F^-1 gamma <H> otherwise. It returns the correction of log
// |precision| for the term of ones.
func (m *Model) withOnes(st *State) (logDet float64, err error) {
	a, n, d := st.CovC, m.g.Len(), m.set.Dims
	if m.g.exact() {
		a.Invert(m.set.Threads)
		m.times(a.Fronts[0], st.MuC)
		m.sumOnes(st)
		return 0, nil
	}
	x := vec.New[float64](m.size(), 2*d)
	for r := range d {
		for i := range n {
			x.Row(r*n + i)[r] = 1
		}
		x.Row(r*n + m.anchor())[d+r] = 1
	}
	a.Solve(x, m.set.Threads)
	t := m.timesOnes(x) // V'X
	weight := func(k int) float64 {
		if k < d {
			return m.set.Epsilon
		}
		return -1
	}
	system, s := mat.NewDense(2*d, 2*d, nil), mat.NewDense(2*d, 2*d, nil) // s is D
	for k := range 2 * d {
		for l := range 2 * d {
			system.Set(k, l, weight(k)*t.At(k, l))
		}
		system.Set(k, k, system.At(k, k)+1)
		s.Set(k, k, weight(k))
	}
	var lu mat.LU
	lu.Factorize(system)
	determinant := lu.Det()
	if !(determinant > 0) || math.IsInf(determinant, 0) {
		return 0, errors.New("the mean of the maps has no positive precision")
	}
	var solved, xs, change, rest mat.Dense
	if err := lu.SolveTo(&solved, false, s); err != nil {
		return 0, err
	}
	xs.Mul(mat.NewDense(m.size(), 2*d, x.Data), &solved)
	change.Mul(&xs, m.timesOnes(st.MuC))
	for k, v := range change.RawMatrix().Data {
		st.MuC.Data[k] -= v
	}
	a.Invert(m.set.Threads)
	a.AddProduct(-1, vec.Of(m.size(), 2*d, xs.RawMatrix().Data), x, m.set.Threads)
	// The diagonal blocks of T - T S T are 1'Sigma 1 of the coordinates.
	rest.Product(t, &solved, t)
	st.ones = 0
	for r := range d {
		st.ones += t.At(r, r) - rest.At(r, r)
	}
	return math.Log(determinant), nil
}

// timesOnes returns V'B.
func (m *Model) timesOnes(b vec.Matrix[float64]) *mat.Dense {
	n, d := m.g.Len(), m.set.Dims
	out := mat.NewDense(2*d, b.Cols, nil)
	for r := range d {
		sum := out.RawRowView(r)
		for i := range n {
			vec.Axpy(1, b.Row(r*n+i), sum)
		}
		copy(out.RawRowView(d+r), b.Row(r*n+m.anchor()))
	}
	return out
}

// sumOnes sets ones to the sum over the latent coordinates of 1' Sigma_C 1, for a single front.
func (m *Model) sumOnes(st *State) {
	n := m.g.Len()
	sums := make([]float64, m.size())
	par.Ranges(m.set.Threads, len(sums), taskRows, func(_, from, to int) {
		for k := from; k < to; k++ {
			r := k / n
			row := st.CovC.Fronts[0].Row(k)[r*n : (r+1)*n]
			var s [4]float64 // an addition need not wait for the last one
			for ; len(row) >= 4; row = row[4:] {
				s[0], s[1], s[2], s[3] = s[0]+row[0], s[1]+row[1], s[2]+row[2], s[3]+row[3]
			}
			for _, v := range row {
				s[0] += v
			}
			sums[k] = (s[0] + s[1]) + (s[2] + s[3])
		}
	})
	st.ones = 0
	for _, v := range sums {
		st.ones += v
	}
}
