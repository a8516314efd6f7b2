package lllvm

import (
	gonum "gonum.org/v1/gonum/blas"

	"unfold/sparse/fronts"
	"unfold/sparse/par"
	"unfold/sparse/vec"
)

// index returns the rows in the front of the variables of a patch's points, variable by
// variable.
func (p *patch) index(a *fronts.Matrix) [][]int {
	out := make([][]int, a.Dims)
	for r := range out {
		out[r] = make([]int, p.len())
		for i, at := range p.at {
			out[r][i] = a.Index(p.front, r, int(at))
		}
	}
	return out
}

// blocks adds to a the sandwiches of the moments of all patches, which fill makes: the
// lower triangle of each front.
func (m *Model) blocks(a *fronts.Matrix, fill func(part, r, s int) vec.Matrix[float64], sign, scale float64) {
	for k, p := range m.g.parts {
		f, at := a.Fronts[p.front], m.at[k]
		for r := range m.set.Dims {
			for s := range r + 1 {
				out := m.sand.compute(p, fill(k, r, s), sign, scale, r == s)
				par.Ranges(m.set.Threads, p.len(), taskRows, func(_, from, to int) {
					for i := from; i < to; i++ {
						row := out.Row(i)
						if r == s {
							row = row[:i+1]
						}
						addRow(f, at[r][i], at[s], row)
					}
				})
			}
		}
	}
}

// addRow adds to the elements of row i and some columns, or of that column and these
// rows, what is in row.
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

// addLaplacian adds 2 L for each latent coordinate.
func (m *Model) addLaplacian(a *fronts.Matrix) {
	for k, p := range m.g.parts {
		f := a.Fronts[p.front]
		for _, at := range m.at[k] {
			p.laplacian(func(i, j int) *float64 { return &f.Row(at[i])[at[j]] }, 2)
		}
	}
}

// room returns n x n of the model's workspace for moments.
func (m *Model) room(n int) vec.Matrix[float64] { return square(m.moments, n) }

// momentsX returns <x_ir x_js> among the points of a patch.
func (m *Model) momentsX(st *State, part, r, s int) vec.Matrix[float64] {
	p := m.g.parts[part]
	out, f := m.room(p.len()), st.CovX.Fronts[p.front]
	rows, columns := m.at[part][r], m.at[part][s]
	par.Ranges(m.set.Threads, p.len(), taskRows, func(_, from, to int) {
		for i := from; i < to; i++ {
			cov, mu, row := f.Row(rows[i]), st.MuX.Row(int(p.points[i]))[r], out.Row(i)
			for j, q := range p.points {
				row[j] = cov[columns[j]] + mu*st.MuX.Row(int(q))[s]
			}
		}
	})
	return out
}

// momentsC returns <C_i' C_j>_rs = dy (Sigma_C)_ir,js + (mu_C' mu_C)_ir,js among the
// points of a patch.
func (m *Model) momentsC(st *State, part, r, s int) vec.Matrix[float64] {
	p, dy := m.g.parts[part], m.y.Cols
	n := p.len()
	out, f := m.room(n), st.CovC.Fronts[p.front]
	rows, columns := m.at[part][r], m.at[part][s]
	par.Ranges(m.set.Threads, n, taskRows, func(_, from, to int) {
		for i := from; i < to; i++ {
			cov, row := f.Row(rows[i]), out.Row(i)
			for j, c := range columns {
				row[j] = cov[c]
			}
		}
	})
	left, right := m.mapsOf(st, p, r), m.mapsOf(st, p, s)
	m.blas().Dgemm(gonum.NoTrans, gonum.Trans, n, n, dy, 1, left.Data, dy, right.Data, dy, float64(dy), out.Data, n)
	return out
}

// mapsOf returns columns r of the maps of a patch's points, as rows.
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
