package student

import (
	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/solve"
)

// rowPiece is the number of points of one task over points.
const rowPiece = 2048

// ownWeight is the part of the diagonal of Lap(W) that Force adds.
const ownWeight = 0.05

// similar sweeps over the similar pairs, which are stored by rows: every point
// sums over its own partners, so no two tasks write to one place.
type similar struct {
	p *Problem
	d int
	a float64
}

// system fills W of H5,
//
//	W_ij = (S_ij + S_ji) w/V = (S_ij + S_ji) / (delta_ij^2 + sigma_i^2 + sigma_j^2 + r^2/(2a)),
//
// symmetric to the last bit, the diagonal sum_k W_ik + Gamma_i, and makes the
// gradient of what grad and push hold, sum_j V_ij (mu_i - mu_j)/c and sum_j
// V_ij/c. If own, gamma is set to Force's: c push_i + 0.05 sum_k W_ik.
func (s *similar) system(threads int, st *State, c, damping float64, own bool, push, gamma []float64, a *solve.Laplacian, grad vec.Matrix[float64]) {
	row := s.row
	if s.d == 2 {
		row = s.row2
	}
	par.Ranges(threads, s.p.N(), rowPiece, func(_, from, to int) {
		for i := from; i < to; i++ {
			gi := grad.Row(i)
			for k := range gi {
				gi[k] *= c
			}
			diagonal := row(st, i, a.W.Data, gi)
			if own {
				gamma[i] = c*push[i] + ownWeight*diagonal
			}
			a.Diagonal[i] = diagonal + damping*gamma[i]
		}
	})
}

// row fills row i of W, subtracts sum_j W_ij (mu_i - mu_j) from g and returns sum_j W_ij.
func (s *similar) row(st *State, i int, w, g []float64) (sum float64) {
	sim, weights, d, half := s.p.Similar, &s.p.weights, s.d, 1/(2*s.a)
	si, mi := st.Sigma2[i], st.Mu.Row(i)
	for p := sim.Start[i]; p < sim.Start[i+1]; p++ {
		j := int(sim.Index[p])
		mj := st.Mu.Data[j*d : j*d+d]
		v := weights.at(p) / (s.p.delta2.at(p) + (si + st.Sigma2[j]) + half*vec.SquaredDistance(mi, mj))
		w[p] = v
		sum += v
		for k, x := range mj {
			g[k] -= v * (mi[k] - x)
		}
	}
	return sum
}

// row2 is row in the plane, in less time.
func (s *similar) row2(st *State, i int, w, g []float64) (sum float64) {
	if l := &s.p.delta2; l.single != nil {
		return planeRow(s, st, i, l.single, w, g)
	}
	return planeRow(s, st, i, s.p.delta2.double, w, g)
}

func planeRow[T vec.Float](s *similar, st *State, i int, delta2 []T, w, g []float64) (sum float64) {
	from, to := s.p.Similar.Start[i], s.p.Similar.Start[i+1]
	index := s.p.Similar.Index[from:to]
	delta2, w = delta2[from:to][:len(index)], w[from:to][:len(index)]
	weights, half := &s.p.weights, 1/(2*s.a)
	si, x, y := st.Sigma2[i], st.Mu.Data[2*i], st.Mu.Data[2*i+1]
	gx, gy := g[0], g[1]
	for p, j := range index {
		mj := (*[2]float64)(st.Mu.Data[2*j:])
		dx, dy := x-mj[0], y-mj[1]
		v := weights.at(from+p) / (float64(delta2[p]) + (si + st.Sigma2[j]) + half*(float64(dx*dx)+float64(dy*dy)))
		w[p] = v
		sum += v
		gx -= v * dx
		gy -= v * dy
	}
	g[0], g[1] = gx, gy
	return sum
}

// slopes returns in out, for every point, the sum over its partners of
// (S_ij + S_ji) (w r^2/V - d)/V, and in weight that of S_ij + S_ji.
func (s *similar) slopes(threads int, st *State, out, weight []float64) {
	sim, weights := s.p.Similar, &s.p.weights
	par.Ranges(threads, sim.N, rowPiece, func(_, from, to int) {
		for i := from; i < to; i++ {
			var sum, total float64
			for p := sim.Start[i]; p < sim.Start[i+1]; p++ {
				sum += weights.at(p) * s.pair(st, i, p).Slope()
				total += weights.at(p)
			}
			out[i], weight[i] = sum, total
		}
	})
}

// loglik returns the sum of S_ij log P(c=1), the first term of H3, over the pairs
// of every stride-th point, a pair of two such points counting once and any
// other half; part has a value for every piece of rows.
func (s *similar) loglik(threads, stride int, st *State, part []float64) float64 {
	sim, weights := s.p.Similar, &s.p.weights
	par.Ranges(threads, sim.N, rowPiece, func(t, from, to int) {
		part[t] = 0
		for i := from + (stride-from%stride)%stride; i < to; i += stride {
			for p := sim.Start[i]; p < sim.Start[i+1]; p++ {
				part[t] += weights.at(p) / 2 * s.pair(st, i, p).LogProb()
			}
		}
	})
	var sum float64
	for _, v := range part {
		sum += v
	}
	return sum
}

// pair returns what the model says about point i and entry p of its row.
func (s *similar) pair(st *State, i, p int) Pair {
	j := int(s.p.Similar.Index[p])
	return Pair{
		Scale2: s.p.delta2.at(p), Sigma2I: st.Sigma2[i], Sigma2J: st.Sigma2[j],
		Dist2: vec.SquaredDistance(st.Mu.Row(i), st.Mu.Row(j)), Dims: s.d, Tail: s.a,
	}
}
