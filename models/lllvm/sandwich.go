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

type lines struct{ gr, gm, gmg, z, zg []float64 }

func newSandwich(g *Graph, threads int) *sandwich {
	return &sandwich{g: g, threads: threads, r: vec.New[float64](g.Len(), g.Len()), mg: vec.New[float64](g.Len(), g.Len())}
}

// compute writes the result for the moments m over out, n rows of n elements
// that begin every stride elements.
func (s *sandwich) compute(out []float64, stride int, m vec.Matrix[float64], sign, scale float64) {
	g, n := s.g, s.g.Len()
	par.Ranges(s.threads, n, rows, func(_, from, to int) {
		w := s.borrow()
		for i := from; i < to; i++ {
			s.right(i, m.Row(i), sign, w.z)
		}
		s.lines.Put(w)
	})
	par.Ranges(s.threads, n, rows, func(_, from, to int) {
		w := s.borrow()
		for i := from; i < to; i++ {
			g.add(w.gr, s.r, i)
			g.add(w.gm, m, i)
			g.add(w.gmg, s.mg, i)
			s.left(i, m.Row(i), sign, w)
			row := out[i*stride : i*stride+n]
			for j, v := range w.zg {
				row[j] = scale * v
			}
		}
		s.lines.Put(w)
	})
}

func (s *sandwich) borrow() *lines {
	w := s.lines.Get()
	if w.z == nil {
		n := s.g.Len()
		w.gr, w.gm, w.gmg, w.z, w.zg = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	}
	return w
}

// right computes row i of R and of M G; pm is room for that of P*M.
func (s *sandwich) right(i int, m []float64, sign float64, pm []float64) {
	g := s.g
	p, pg, mg, r := g.inverse.Row(i), g.times.Row(i), s.mg.Row(i), s.r.Row(i)
	for j, v := range m {
		pm[j] = p[j] * v
	}
	g.gather(mg, m)
	g.gather(r, pm)
	for j, v := range m {
		r[j] += sign*(pg[j]*v-pm[j]*float64(len(g.Neighbors[j]))) - p[j]*mg[j]
	}
}

// left puts row i of G R + Z G + local into w.zg.
func (s *sandwich) left(i int, m []float64, sign float64, w *lines) {
	g := s.g
	p, pg, gp, gpg, mg := g.inverse.Row(i), g.times.Row(i), g.left.Row(i), g.product.Row(i), s.mg.Row(i)
	di := float64(len(g.Neighbors[i]))
	for j, v := range m {
		w.z[j] = sign*v*(gp[j]-di*p[j]) - p[j]*w.gm[j]
	}
	g.gather(w.zg, w.z)
	for j, v := range m {
		dj := float64(len(g.Neighbors[j]))
		w.zg[j] += w.gr[j] +
			v*(gpg[j]-gp[j]*dj-di*pg[j]+di*p[j]*dj) +
			sign*(mg[j]*(di*p[j]-gp[j])+w.gm[j]*(dj*p[j]-pg[j])) +
			p[j]*w.gmg[j]
	}
}
