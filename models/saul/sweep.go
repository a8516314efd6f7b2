package saul

import (
	"unfold/internal/par"
	"unfold/internal/simd/pairwise"
)

// statistic is a sum over pairs that a sweep computes. row adds a row of pairs in both directions;
// odd adds a one-way pair: only its direction e -> f is dissimilar.
type statistic struct {
	columns func(d int) int
	row     func(g *pairwise.Gauss, u int, skip []int32)
	odd     func(s *blocks, e, f, base int, sum [][]float64) // sum[c][e-base] is of entry e
}

// pushes computes the statistics of mu (eq 11): for every point sum_j V_ij (mu_i - mu_j), V_ij =
// D_ij nu_ij / q_ij + D_ji nu_ji / q_ji.
var pushes = statistic{
	columns: func(d int) int { return d },
	row:     (*pairwise.Gauss).Push,
	odd: func(s *blocks, e, f, base int, sum [][]float64) {
		p := s.pair(e, f)
		v := s.w[e] * s.w[f] * p.Odds() / p.q()
		for c := range s.mu {
			g := v * (s.mu[c][e] - s.mu[c][f])
			sum[c][e-base] += g
			sum[c][f-base] -= g
		}
	},
}

// spreads computes the statistics of sigma (eq 17): for every point the sum over its partners of D
// (nu/q) (|mu_i - mu_j|^2/q - d).
var spreads = statistic{
	columns: func(int) int { return 1 },
	row:     (*pairwise.Gauss).Spread,
	odd: func(s *blocks, e, f, base int, sum [][]float64) {
		p := s.pair(e, f)
		t := s.w[e] * s.w[f] * p.Odds() / p.q() * (p.Dist2/p.q() - float64(p.Dims))
		sum[0][e-base] += t
		sum[0][f-base] += t
	},
}

// work is the workspace of one task.
type work struct {
	gauss   pairwise.Gauss
	mu, sum [][]float64 // columns of the present rows
}

func newWork(d int) *work {
	return &work{mu: make([][]float64, d), sum: make([][]float64, d)}
}

// sweep visits all dissimilar pairs once, both directions together. It sets s.sum to the unscaled
// sums of a statistic over the partners of every entry. threads bounds the goroutines and does not
// change the result.
func (s *blocks) sweep(threads int, stat *statistic) {
	cols := stat.columns(s.d)
	par.Do(threads, len(s.tasks), func(t int) {
		k := &s.tasks[t]
		if k.strip {
			s.rows(k, k.first, k.from, k.to, s.off[k.first]+k.from, k.own[:cols], stat)
			return
		}
		for b := k.first; b < k.last; b++ {
			s.rows(k, b, 0, s.list[b].Len(), 0, s.sum[:cols], stat)
		}
	})
	s.combine(cols)
}

// rows sweeps over the rows from..to of block b. It sets sum[c][e-base] to the sum of entry e, for
// all entries from row from on.
func (s *blocks) rows(k *task, b, from, to, base int, sum [][]float64, stat *statistic) {
	w, blk := k.work, &s.list[b]
	x, y := s.off[b]+from, s.off[b+1]
	w.sum = w.sum[:len(sum)]
	for c := range sum {
		w.sum[c] = sum[c][x-base : y-base]
		clear(w.sum[c])
	}
	s.load(w, b, from, w.sum)
	for u := from; u < to; u++ {
		stat.row(&w.gauss, u-from, blk.Skips(u))
	}
	if from == 0 {
		s.odd(b, base, sum, stat)
	}
}

// load prepares w for the rows of block b from row from on.
func (s *blocks) load(w *work, b, from int, sum [][]float64) {
	x, y := s.off[b]+from, s.off[b+1]
	for c := range w.mu {
		w.mu[c] = s.mu[c][x:y]
	}
	w.gauss.Reset(pairwise.Points{S: s.sigma2[x:y], A: s.a[x:y], B: s.b[x:y], W: s.w[x:y], Mu: w.mu, Sum: sum}, from)
}

// pair returns the Pair of the entries e and f: their scale, variances and squared distance on the
// map.
func (s *blocks) pair(e, f int) Pair {
	delta := s.a[e] + s.b[f]
	p := Pair{Scale2: delta * delta, Sigma2I: s.sigma2[e], Sigma2J: s.sigma2[f], Dims: s.d}
	for c := range s.mu {
		dx := s.mu[c][e] - s.mu[c][f]
		p.Dist2 += dx * dx
	}
	return p
}

// odd adds the one-way pairs of block b to the sums.
func (s *blocks) odd(b, base int, sum [][]float64, stat *statistic) {
	for _, o := range s.list[b].Odd {
		stat.odd(s, s.off[b]+int(o.U), s.off[b]+int(o.V), base, sum)
	}
}

// loglik returns the sum of D_ij log P(c_Delta=0), the second term of eq 6.
func (s *blocks) loglik(threads int) float64 {
	part := make([]float64, len(s.tasks))
	par.Do(threads, len(s.tasks), func(t int) {
		k := &s.tasks[t]
		from, to := k.from, k.to
		for b := k.first; b < k.last; b++ {
			if !k.strip {
				from, to = 0, s.list[b].Len()
			}
			part[t] += s.loglikRows(k.work, b, from, to)
		}
	})
	var total float64
	for _, v := range part {
		total += v
	}
	return s.scale * total
}

func (s *blocks) loglikRows(w *work, b, from, to int) float64 {
	blk, o := &s.list[b], s.off[b]
	s.load(w, b, from, nil)
	var total float64
	for u := from; u < to; u++ {
		total += w.gauss.LogOther(u-from, blk.Skips(u))
	}
	if from == 0 {
		for _, p := range blk.Odd {
			e, f := o+int(p.U), o+int(p.V)
			total += s.w[e] * s.w[f] * s.pair(e, f).LogOther()
		}
	}
	return total
}
