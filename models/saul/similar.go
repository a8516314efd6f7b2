package saul

import (
	"unfold/coarse/landmark"
	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse"
	"unfold/sparse/solve"
)

// rowPiece is the number of points of one task of a sweep over similar pairs.
const rowPiece = 2048

// similar sweeps over the similar pairs, which are stored by rows. Every point sums over its own
// partners, so that no two tasks write to the same memory.
type similar struct {
	pairs *landmark.Pairs
	d     int
	total []float64 // sum_j S_ij + S_ji
}

func newSimilar(p *landmark.Pairs, d int) *similar {
	return &similar{pairs: p, d: d, total: p.Similar.RowSums(nil)}
}

// system sets a to the matrix of eq 19,
//
//	W_ij = (S_ij + S_ji) / (delta_ij^2 + sigma_i^2 + sigma_j^2)    (eq 18),
//	diagonal sum_k W_ik + Gamma_i,  Gamma_i = sum_k (D_ik + D_ki) / sigma_i^2,
//
// and subtracts Lap(W) mu from grad. W is symmetric to the last bit.
func (s *similar) system(threads int, st *State, a *solve.Laplacian, grad vec.Matrix[float64]) {
	sim, d := s.pairs.Similar, s.d
	par.Ranges(threads, sim.N, rowPiece, func(_, from, to int) {
		if d == 2 {
			s.systemPlane(from, to, st, a, grad)
			return
		}
		for i := from; i < to; i++ {
			si, mi, gi := st.Sigma2[i], st.Mu.Row(i), grad.Row(i)
			diagonal := s.pairs.Weight[i] / si
			for p := sim.Start[i]; p < sim.Start[i+1]; p++ {
				j := int(sim.Index[p])
				w := sim.Data[p] / (s.pairs.SimilarDelta2[p] + (si + st.Sigma2[j]))
				a.W.Data[p] = w
				diagonal += w
				mj := st.Mu.Data[j*d : j*d+d]
				for c, x := range mj {
					gi[c] -= w * (mi[c] - x)
				}
			}
			a.Diagonal[i] = diagonal
		}
	})
}

// systemPlane is system for the rows from..to where d = 2, with the sums of a row
// in registers.
func (s *similar) systemPlane(from, to int, st *State, a *solve.Laplacian, grad vec.Matrix[float64]) {
	sim, sigma2, mu := s.pairs.Similar, st.Sigma2, st.Mu.Data
	for i := from; i < to; i++ {
		p, end := sim.Start[i], sim.Start[i+1]
		index, data, delta2, w := sim.Index[p:end], sim.Data[p:end], s.pairs.SimilarDelta2[p:end], a.W.Data[p:end]
		data, delta2, w = data[:len(index)], delta2[:len(index)], w[:len(index)]
		si, x, y := sigma2[i], mu[2*i], mu[2*i+1]
		diagonal, gx, gy := s.pairs.Weight[i]/si, 0.0, 0.0
		for k, j := range index {
			wk := data[k] / (delta2[k] + (si + sigma2[j]))
			w[k] = wk
			diagonal += wk
			mj := mu[2*j : 2*j+2 : 2*j+2]
			gx += wk * (x - mj[0])
			gy += wk * (y - mj[1])
		}
		a.Diagonal[i] = diagonal
		grad.Data[2*i] -= gx
		grad.Data[2*i+1] -= gy
	}
}

// spread sets out, for every point, to the sum over its partners of (S_ij + S_ji) (|mu_i -
// mu_j|^2/q - d) / q with q = delta^2 + sigma_i^2 + sigma_j^2. This is the similar part of eq 21,
// by eq 16.
func (s *similar) spread(threads int, st *State, out []float64) {
	sim, d := s.pairs.Similar, s.d
	par.Ranges(threads, sim.N, rowPiece, func(_, from, to int) {
		for i := from; i < to; i++ {
			si, mi := st.Sigma2[i], st.Mu.Row(i)
			var sum float64
			for p := sim.Start[i]; p < sim.Start[i+1]; p++ {
				j := int(sim.Index[p])
				inv := 1 / (s.pairs.SimilarDelta2[p] + (si + st.Sigma2[j]))
				sum += sim.Data[p] * inv * (vec.SquaredDistance(mi, st.Mu.Data[j*d:j*d+d])*inv - float64(d))
			}
			out[i] = sum
		}
	})
}

// loglik returns the sum of S_ij log P(c_delta=1), the first term of eq 6.
func (s *similar) loglik(threads int, st *State) float64 {
	sim := s.pairs.Similar
	part := make([]float64, par.Pieces(sim.N, rowPiece))
	par.Ranges(threads, sim.N, rowPiece, func(t, from, to int) {
		for i := from; i < to; i++ {
			for p := sim.Start[i]; p < sim.Start[i+1]; p++ {
				j := int(sim.Index[p])
				if j < i {
					continue // S_ij + S_ji counts once
				}
				pair := Pair{
					Scale2: s.pairs.SimilarDelta2[p], Sigma2I: st.Sigma2[i], Sigma2J: st.Sigma2[j],
					Dist2: vec.SquaredDistance(st.Mu.Row(i), st.Mu.Row(j)), Dims: s.d,
				}
				part[t] += sim.Data[p] * pair.LogProb()
			}
		}
	})
	var total float64
	for _, v := range part {
		total += v
	}
	return total
}

// weights returns a matrix with the pattern of the similar pairs.
func (s *similar) weights() *sparse.CSR {
	w := *s.pairs.Similar
	w.Data = make([]float64, len(w.Index))
	return &w
}
