package lllvm

import (
	"unfold/sparse/par"
	"unfold/sparse/vec"
)

// sandwich computes, for one n x n matrix of second moments M and sign = 1 or -1,
//
//	out_ij = scale sum_{p~i, q~j} [P_pq - P_pj - P_iq + P_ij] (M_pq + sign (M_pj + M_iq) + M_ij),
//
// which is <A> with sign 1 and the moments of C (supplement eq 48), and <Gamma>
// with sign -1 and those of x (eq 61), one pair of latent coordinates at a time.
// Multiplied out it has 16 terms, of which products with the adjacency matrix G
// on one side can be put together:
//
//	out = G R + Z G + local, with * element by element, D = diag(degrees),
//	R = (P*M) G + sign (PG)*M - P*(MG) - sign (P*M) D
//	Z = sign (GP)*M - P*(GM) - sign D (P*M)
//	local = (GPG)*M - sign (GP)*(MG) - (GP)*M D - sign (PG)*(GM) - D (PG)*M
//	        + P*(GMG) + sign P*(GM) D + sign D P*(MG) + D (P*M) D
//
// So it costs the products of G with five n x n matrices, O(n |edges|), instead
// of the O(|edges|^2) of the double sum.
type sandwich struct {
	g       *Graph
	threads int
	// r is R, mg is M G; n x n.
	r, mg vec.Matrix[float64]
	// lines are vectors of length n for each task.
	lines par.Lender[lines]
}

// four rows are worked on together.
const four = 4

// lines is room for four rows.
type lines struct{ gr, gm, gmg, z, zg [four][]float64 }

func newSandwich(g *Graph, threads int) *sandwich {
	return &sandwich{g: g, threads: threads, r: vec.New[float64](g.Len(), g.Len()), mg: vec.New[float64](g.Len(), g.Len())}
}

// compute writes the result for the moments m over out, n rows of n elements
// that begin every stride elements. With lower, for symmetric moments, it leaves
// what is right of the diagonal.
func (s *sandwich) compute(out []float64, stride int, m vec.Matrix[float64], sign, scale float64, lower bool) {
	g, n := s.g, s.g.Len()
	par.Ranges(s.threads, n, rows, func(_, from, to int) {
		w := s.borrow()
		for i := from; i < to; i += four {
			s.right(i, min(i+four, to), m, sign, w)
		}
		s.lines.Put(w)
	})
	par.Ranges(s.threads, n, rows, func(_, from, to int) {
		w := s.borrow()
		for i := from; i < to; i += four {
			end := min(i+four, to)
			for p := i; p < end; p++ {
				k, most := p-i, n
				if lower {
					most = p + 1
				}
				g.add(w.gr[k][:most], s.r, p)
				g.add(w.gm[k], m, p)
				g.add(w.gmg[k][:most], s.mg, p)
				s.middle(p, m.Row(p), sign, w.gm[k], w.z[k])
			}
			g.gather4(w.zg, w.z)
			for p := i; p < end; p++ {
				k, row := p-i, out[p*stride:p*stride+n]
				if lower {
					row = row[:p+1]
				}
				s.left(p, m.Row(p), sign, scale, w, k, row)
			}
		}
		s.lines.Put(w)
	})
}

func (s *sandwich) borrow() *lines {
	w := s.lines.Get()
	if w.z[0] == nil {
		for _, l := range []*[four][]float64{&w.gr, &w.gm, &w.gmg, &w.z, &w.zg} {
			for k := range l {
				l[k] = make([]float64, s.g.Len())
			}
		}
	}
	return w
}

// right computes the rows from..to of R and of M G; w.z is room for those of P*M.
func (s *sandwich) right(from, to int, m vec.Matrix[float64], sign float64, w *lines) {
	g := s.g
	var x, mg, r [four][]float64
	for k := range four { // what is missing at the end is done twice
		i := min(from+k, to-1)
		x[k], mg[k], r[k] = m.Row(i), s.mg.Row(i), s.r.Row(i)
		pm, p := w.z[k], g.inverse.Row(i)
		for j, v := range x[k] {
			pm[j] = p[j] * v
		}
	}
	g.gather4(mg, x)
	g.gather4(r, w.z)
	for i := from; i < to; i++ {
		k := i - from
		p, pg, pm, mg, r := g.inverse.Row(i), g.times.Row(i), w.z[k], mg[k], r[k]
		for j, v := range x[k] {
			r[j] += sign*(pg[j]*v-pm[j]*g.degree[j]) - p[j]*mg[j]
		}
	}
}

// middle computes row i of Z.
func (s *sandwich) middle(i int, m []float64, sign float64, gm, z []float64) {
	p, gp, di := s.g.inverse.Row(i), s.g.left.Row(i), s.g.degree[i]
	for j, v := range m {
		z[j] = sign*v*(gp[j]-di*p[j]) - p[j]*gm[j]
	}
}

// left puts as much of row i of scale (G R + Z G + local) into row as it holds; its
// products are line k of w.
func (s *sandwich) left(i int, m []float64, sign, scale float64, w *lines, k int, row []float64) {
	g, n := s.g, len(row)
	p, pg, gp, gpg, mg := g.inverse.Row(i)[:n], g.times.Row(i)[:n], g.left.Row(i)[:n], g.product.Row(i)[:n], s.mg.Row(i)[:n]
	zg, gr, gm, gmg, degree := w.zg[k][:n], w.gr[k][:n], w.gm[k][:n], w.gmg[k][:n], g.degree[:n]
	di := degree[i]
	for j, v := range m[:n] {
		pj, dj := p[j], degree[j]
		row[j] = scale * (zg[j] + gr[j] +
			v*(gpg[j]-gp[j]*dj-di*pg[j]+di*pj*dj) +
			sign*(mg[j]*(di*pj-gp[j])+gm[j]*(dj*pj-pg[j])) +
			pj*gmg[j])
	}
}
