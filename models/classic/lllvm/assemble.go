package lllvm

import (
	gonum "gonum.org/v1/gonum/blas"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/multifrontal"
)

// index returns the row numbers of a patch's variables in its front, ordered by variable and point.
func (p *patch) index(a *multifrontal.Matrix) [][]int {
	out := make([][]int, a.Dims)
	for r := range out {
		out[r] = make([]int, p.len())
		for i, at := range p.at {
			out[r][i] = a.Index(p.front, r, int(at))
		}
	}
	return out
}

// blocks adds the sandwiches of the moments of all patches to a, in the lower triangle of each
// front; fill computes the moments. With a single patch of all points it overwrites the triangle
// instead. prior, if not nil, first adds the prior precision to each row of a diagonal block; such
// rows end at the diagonal.
func (m *Model) blocks(a *multifrontal.Matrix, fill func(part, r, s int) vec.Matrix[float64], sign, scale float64, prior func(p *patch, i int, row []float64)) {
	one := m.g.exact()
	if !one {
		a.Clear()
	}
	for k, p := range m.g.parts {
		f, at := a.Fronts[p.front], m.at[k]
		for r := range m.set.Dims {
			for s := range r + 1 {
				m.sand.compute(p, fill(k, r, s), sign, scale, r == s, func(i int, row []float64) {
					if prior != nil && r == s {
						prior(p, i, row)
					}
					if one {
						copy(f.Row(r*p.len() + i)[s*p.len():], row)
						return
					}
					addRow(f, at[r][i], at[s], row)
				})
			}
		}
	}
}

// addRow adds row to the elements (i, columns) of f. Elements above the diagonal go to their mirror
// image, since f stores the lower triangle.
func addRow(f vec.Matrix[float64], i int, columns []int, row []float64) {
	to := f.Row(i)
	for j, v := range row {
		if c := columns[j]; c <= i {
			to[c] += v
		} else {
			f.Row(c)[i] += v
		}
	}
}

// precision adds the prior precision of x without alpha I: 2 L for each latent coordinate.
func precision(p *patch, i int, row []float64) {
	row[i] += 2 * p.degree[i]
	for t, j := range p.lists[i] {
		if int(j) < i {
			row[j] -= 2 * p.weights[i][t]
		}
	}
}

// room returns an n x n matrix in the model's workspace for moments.
func (m *Model) room(n int) vec.Matrix[float64] { return square(m.moments, n) }

// covariance writes row i of block r, s of a covariance among the points of a patch.
func (m *Model) covariance(dst []float64, cov *multifrontal.Matrix, part, r, s, i int) {
	f, columns := cov.Fronts[m.g.parts[part].front].Row(m.at[part][r][i]), m.at[part][s]
	if m.g.exact() { // and the columns follow each other
		copy(dst, f[columns[0]:])
		return
	}
	for j, c := range columns {
		dst[j] = f[c]
	}
}

// momentsX returns <x_ir x_js> among the points of a patch.
func (m *Model) momentsX(st *State, part, r, s int) vec.Matrix[float64] {
	p := m.g.parts[part]
	out := m.room(p.len())
	means := make([]float64, p.len())
	for j, q := range p.points {
		means[j] = st.MuX.Row(int(q))[s]
	}
	par.Ranges(m.set.Threads, p.len(), taskRows, func(_, from, to int) {
		for i := from; i < to; i++ {
			m.covariance(out.Row(i), st.CovX, part, r, s, i)
			vec.Axpy(st.MuX.Row(int(p.points[i]))[r], means, out.Row(i))
		}
	})
	return out
}

// momentsC returns <C_i' C_j>_rs = dy (Sigma_C)_ir,js + (mu_C' mu_C)_ir,js among the
// points of a patch.
func (m *Model) momentsC(st *State, part, r, s int) vec.Matrix[float64] {
	p, dy := m.g.parts[part], m.y.Cols
	n := p.len()
	out := m.room(n)
	par.Ranges(m.set.Threads, n, taskRows, func(_, from, to int) {
		for i := from; i < to; i++ {
			m.covariance(out.Row(i), st.CovC, part, r, s, i)
			vec.Scale(float64(dy), out.Row(i))
		}
	})
	left, right := m.mapsOf(st, p, r), m.mapsOf(st, p, s)
	m.blas().Dgemm(gonum.NoTrans, gonum.Trans, n, n, dy, 1, left.Data, dy, right.Data, dy, 1, out.Data, n)
	return out
}

// mapsOf returns column r of the linear map of every point of a patch, as rows.
func (m *Model) mapsOf(st *State, p *patch, r int) vec.Matrix[float64] {
	n := m.g.Len()
	if m.g.exact() {
		return st.MuC.Slice(r*n, (r+1)*n)
	}
	out := vec.New[float64](p.len(), m.y.Cols)
	for i, q := range p.points {
		copy(out.Row(i), st.MuC.Row(r*n+int(q)))
	}
	return out
}
