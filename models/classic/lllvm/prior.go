package lllvm

import (
	"fmt"
	"math"

	"unfold/internal/par"
	"unfold/internal/simd/spd"
	"unfold/internal/vec"
	"unfold/sparse/multifrontal"
)

// The prior precisions, the same for each latent coordinate, are
//
//	of x: alpha I + 2 L           (eq 5)
//	of C: epsilon 1 1' + 2 L      (eq 8)
//
// They are sparse except for the ones, so that no trace needs a product of dense matrices.

// laplaceTrace returns 2 tr(L S), summed over the latent coordinates.
func (m *Model) laplaceTrace(cov *multifrontal.Matrix) (sum float64) {
	for k, p := range m.g.parts {
		f := cov.Fronts[p.front]
		sums := make([]float64, p.len())
		par.Ranges(m.set.Threads, p.len(), taskRows, func(_, from, to int) {
			for i := from; i < to; i++ {
				for _, at := range m.at[k] {
					row := f.Row(at[i])
					sums[i] += p.degree[i] * row[at[i]]
					for t, j := range p.lists[i] {
						sums[i] -= p.weights[i][t] * row[at[j]]
					}
				}
			}
		})
		for _, v := range sums {
			sum += v
		}
	}
	return 2 * sum
}

// priorX returns the terms of -KL(q(x)||p(x)).
func (m *Model) priorX(st *State, logDet float64) divergence {
	d := divergence{logDet: logDet, trace: m.laplaceTrace(st.CovX)}
	shift, square := m.norms(st)
	d.trace += st.Alpha * shift
	d.square = st.Alpha * square
	for i, list := range m.g.Neighbors {
		for _, j := range list {
			d.square += vec.SquaredDistance(st.MuX.Row(i), st.MuX.Row(int(j)))
		}
	}
	return d
}

// norms returns tr CovX and |MuX|^2.
func (m *Model) norms(st *State) (trace, square float64) {
	return st.CovX.Trace(), vec.SquaredNorm(st.MuX.Data)
}

// priorC returns the terms of -KL(q(C)||p(C)).
func (m *Model) priorC(st *State, logDet float64) divergence {
	n, d := m.g.Len(), divergence{logDet: logDet, trace: m.laplaceTrace(st.CovC) + m.set.Epsilon*st.ones}
	sum := make([]float64, m.y.Cols)
	for r := range m.set.Dims {
		clear(sum)
		for i, list := range m.g.Neighbors {
			row := st.MuC.Row(r*n + i)
			vec.Axpy(1, row, sum)
			for _, j := range list {
				d.square += vec.SquaredDistance(row, st.MuC.Row(r*n+int(j)))
			}
		}
		d.square += m.set.Epsilon * vec.SquaredNorm(sum)
	}
	return d
}

// bound evaluates eq 65 from the terms that the updates stored in st:
//
//	<log p(Y|x,C)> = -gamma/4 T + gamma tr(mu_C'H) - epsilon/2 |sum y|^2 - gamma tr(L Y'Y)
//	                 - n dy/2 log 2 pi + dy/2 (log n epsilon + sum log 2 gamma w_j)
//	-KL(C) = dy/2 (log |Sigma_C P_C| - tr Sigma_C P_C + nd) - 1/2 tr P_C mu_C'mu_C
//	-KL(x) = 1/2 (log |Sigma_x Pi^-1| - tr Pi^-1 Sigma_x + nd - mu_x' Pi^-1 mu_x)
func (m *Model) bound(st *State) Bound {
	n, d, dy := float64(m.g.Len()), float64(m.set.Dims), float64(m.y.Cols)
	nd := n * d
	logEps := math.Log(n * m.set.Epsilon)
	priorC := d * (logEps + m.g.logDet + (n-1)*math.Ln2)
	return Bound{
		LogLik: -st.Gamma/4*st.t + st.Gamma*st.th - m.set.Epsilon/2*m.sumY2 - st.Gamma*m.tl -
			n*dy/2*math.Log(2*math.Pi) + dy/2*(logEps+m.g.logDet+(n-1)*math.Log(2*st.Gamma)),
		KLX: 0.5 * (st.kl[ofX].logDet + d*st.shifted - st.kl[ofX].trace + nd - st.kl[ofX].square),
		KLC: 0.5 * (dy*(st.kl[ofC].logDet+priorC-st.kl[ofC].trace+nd) - st.kl[ofC].square),
	}
}

// Evaluate recomputes the bound for any q(x) and q(C), also for states that no update produced. It
// costs about an iteration. With patches the covariances must be those of an update, because their
// determinants are reused.
func (m *Model) Evaluate(st *State) error {
	if m.g.exact() {
		m.sumOnes(st)
	}
	for which, cov := range []*multifrontal.Matrix{ofX: st.CovX, ofC: st.CovC} {
		logDet := st.kl[which].logDet
		if m.g.exact() {
			l := cov.Fronts[0].Clone()
			if err := spd.Factor(l, m.set.Threads); err != nil {
				return fmt.Errorf("the covariance of q(%c): %w", "xC"[which], err)
			}
			logDet = spd.LogDet(l)
		}
		if which == ofX {
			st.kl[ofX] = m.priorX(st, logDet)
		} else {
			st.kl[ofC] = m.priorC(st, logDet)
		}
	}
	m.likelihood(st)
	return m.finish(st, "nothing")
}

// likelihood sets T and tr(mu_C'H) of any q: gamma/2 T = tr <Gamma> (dy Sigma_C +
// mu_C' mu_C) (eq 66).
func (m *Model) likelihood(st *State) {
	m.linearC(st)
	st.t, st.th = 0, vec.Dot(st.MuC.Data, m.h.Data)
	for k, p := range m.g.parts {
		for r := range m.set.Dims {
			for s := range r + 1 {
				gamma := vec.New[float64](p.len(), p.len())
				m.sand.compute(p, m.momentsX(st, k, r, s), -1, 1, false, func(i int, row []float64) { copy(gamma.Row(i), row) })
				times := 2.0
				if r == s {
					times = 1
				}
				st.t += times * vec.Dot(gamma.Data, m.momentsC(st, k, r, s).Data)
			}
		}
	}
}
