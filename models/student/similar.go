package student

import (
	"sync/atomic"

	"unfold/internal/par"
	"unfold/internal/simd/pull"
	"unfold/internal/vec"
	"unfold/sparse/solve"
)

// rowPiece is the number of points per parallel task.
const rowPiece = 2048

// ownWeight is the factor of the diagonal of Lap(W) in the majoriser Force.
const ownWeight = 0.05

// similar sweeps over the similar pairs, which are stored by rows. Each point sums over its own
// partners, so no two tasks write to the same memory.
type similar struct {
	p *Problem
	d int
	a float64
}

// system computes W of H5,
//
//	W_ij = (S_ij + S_ji) w/V = (S_ij + S_ji) / (delta_ij^2 + sigma_i^2 + sigma_j^2 + r^2/(2a)),
//
// and the diagonal sum_k W_ik + Gamma_i. W is bit-exactly symmetric and has the precision of the
// length scales. On entry, grad is sum_j V_ij (mu_i - mu_j)/c and push is sum_j V_ij/c; on return,
// grad is the gradient. If own is true, gamma is set to that of Force: c push_i + 0.05 sum_k W_ik.
func (s *similar) system(threads int, st *State, c, damping float64, own bool, push, gamma []float64, a *solve.Laplacian, grad vec.Matrix[float64]) {
	var without atomic.Bool // some point has a negligible Gamma
	par.Ranges(threads, s.p.N(), rowPiece, func(_, from, to int) {
		s.rows(st, c, a, grad, from, to)
		for i := from; i < to; i++ {
			sum := a.Diagonal[i]
			if own {
				gamma[i] = c*push[i] + ownWeight*sum
			}
			a.Diagonal[i] = sum + damping*gamma[i]
			if !solve.HasGamma(damping*gamma[i], a.Diagonal[i]) {
				without.Store(true)
			}
		}
	})
	a.Definite = !without.Load()
}

// rows computes rows from..to of W. It sets grad_i to c grad_i - sum_j W_ij (mu_i - mu_j) and the
// diagonal to sum_j W_ij.
func (s *similar) rows(st *State, c float64, a *solve.Laplacian, grad vec.Matrix[float64], from, to int) {
	switch s.d {
	case 2:
		rowsOf[[2]float64](s, st, c, a, grad, from, to)
	case 3:
		rowsOf[[3]float64](s, st, c, a, grad, from, to)
	default:
		for i := from; i < to; i++ {
			g := grad.Row(i)
			vec.Scale(c, g)
			a.Diagonal[i] = s.row(st, i, a.W.Data, g)
		}
	}
}

// rowsOf is rows for places of type P.
func rowsOf[P pull.Place](s *similar, st *State, c float64, a *solve.Laplacian, grad vec.Matrix[float64], from, to int) {
	points := &pull.State[P]{Mu: vec.RowsOf[P](st.Mu), Sigma2: st.Sigma2, Half: 1 / (2 * s.a)}
	l, k, w, sum, g := &s.p.delta2, &s.p.weights, a.W.Data, a.Diagonal, vec.RowsOf[P](grad)
	switch {
	case l.single != nil && k.short != nil:
		pull.Rows(pairs(s.p, l.single, k.short), points, c, a.Single, g, sum, from, to)
	case l.single != nil:
		pull.Rows(pairs(s.p, l.single, k.long), points, c, a.Single, g, sum, from, to)
	case k.short != nil:
		pull.Rows(pairs(s.p, l.double, k.short), points, c, w, g, sum, from, to)
	default:
		pull.Rows(pairs(s.p, l.double, k.long), points, c, w, g, sum, from, to)
	}
}

// pairs returns the similar pairs with their length scales and the numbers of their weights.
func pairs[L float32 | float64, N uint8 | uint32](p *Problem, lengths []L, numbers []N) *pull.Pairs[L, N] {
	return &pull.Pairs[L, N]{Start: p.Similar.Start, Index: p.Similar.Index, Length: lengths, Number: numbers, Weight: p.weights.now}
}

// row computes row i of W, subtracts sum_j W_ij (mu_i - mu_j) from g and returns sum_j W_ij.
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

// slopes sets out, for every point, to the sum over its partners of (S_ij + S_ji) (w r^2/V - d)/V,
// and weight to the sum of S_ij + S_ji.
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

// loglik returns the sum of S_ij log P(c=1), the first term of H3, over the pairs of every
// stride-th point. A pair of two such points counts once, any other pair half. part is scratch
// memory with a value per piece of rows.
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

// pair returns the Pair of point i and entry p of its row.
func (s *similar) pair(st *State, i, p int) Pair {
	j := int(s.p.Similar.Index[p])
	return Pair{
		Scale2: s.p.delta2.at(p), Sigma2I: st.Sigma2[i], Sigma2J: st.Sigma2[j],
		Dist2: vec.SquaredDistance(st.Mu.Row(i), st.Mu.Row(j)), Dims: s.d, Tail: s.a,
	}
}
