package lvm

import (
	"unfold/sparse/par"
)

// statistic is what a sweep sums up: of runs of pairs in both directions, and of
// odd pairs, of which only the direction e -> f is dissimilar.
type statistic struct {
	columns func(d int) int
	run     func(l *lanes, r *row)
	odd     func(s *blocks, e, f int, sum func(c, entry int, v float64))
}

// pushes are the mu statistics: for every point sum_j V_ij (mu_i - mu_j).
var pushes = statistic{
	columns: func(d int) int { return d },
	run:     (*lanes).push,
	odd: func(s *blocks, e, f int, sum func(int, int, float64)) {
		p := s.pair(e, f)
		v := s.w[e] * s.w[f] * p.Odds() / p.q()
		for c := range s.mu {
			g := v * (s.mu[c][e] - s.mu[c][f])
			sum(c, e, g)
			sum(c, f, -g)
		}
	},
}

// spreads are the sigma statistics: for every point the sum over its partners of
// D (nu/q) (|mu_i - mu_j|^2/q - d).
var spreads = statistic{
	columns: func(int) int { return 1 },
	run:     (*lanes).spread,
	odd: func(s *blocks, e, f int, sum func(int, int, float64)) {
		p := s.pair(e, f)
		t := s.w[e] * s.w[f] * p.Odds() / p.q() * (p.Dist2/p.q() - float64(p.Dims))
		sum(0, e, t)
		sum(0, f, t)
	},
}

// work is what one task computes with.
type work struct {
	lanes lanes
	row   row
	near  [width]int32
}

func newWork(d, cols int) *work {
	return &work{row: row{
		mu: make([]float64, d), muv: make([][]float64, d),
		sum: make([]float64, cols), sumv: make([][]float64, cols),
	}}
}

// sweep runs over all dissimilar pairs once, both directions together, and
// leaves in s.sum, for every entry, the sum of a statistic over its partners
// (unscaled). threads bounds the goroutines, not the result.
func (s *blocks) sweep(threads int, stat *statistic) {
	cols := stat.columns(s.d)
	par.Do(threads, len(s.tasks), func(t int) {
		k, w := &s.tasks[t], newWork(s.d, cols)
		if k.strip {
			for c := range cols {
				clear(k.own[c])
			}
			at := s.off[k.first] + k.from
			s.rows(k.first, k.from, k.to, at, k.own[:cols], w, stat.run)
			if k.from == 0 {
				s.odd(k.first, at, k.own[:cols], stat)
			}
			return
		}
		for b := k.first; b < k.last; b++ {
			for c := range cols {
				clear(s.sum[c][s.off[b]:s.off[b+1]])
			}
			s.rows(b, 0, s.list[b].Len(), 0, s.sum[:cols], w, stat.run)
			s.odd(b, 0, s.sum[:cols], stat)
		}
	})
	s.combine(cols)
}

// rows sweeps rows from..to of block b. sum[c][e-base] is the sum of entry e.
func (s *blocks) rows(b, from, to, base int, sum [][]float64, w *work, run func(*lanes, *row)) {
	blk, l, r := &s.list[b], &w.lanes, &w.row
	o, m := s.off[b], blk.Len()
	for u := from; u < to; u++ {
		e := o + u
		r.w, r.sigma2, r.a, r.b = s.w[e], s.sigma2[e], s.a[e], s.b[e]
		for c := range r.mu {
			r.mu[c] = s.mu[c][e]
		}
		clear(r.sum)
		skip := blk.Skips(u)
		for v := u + 1; v < m; v += width {
			x, y := o+v, o+min(m, v+width)
			r.sigma2v, r.av, r.bv, r.wv = s.sigma2[x:y], s.a[x:y], s.b[x:y], s.w[x:y]
			for c := range r.muv {
				r.muv[c] = s.mu[c][x:y]
			}
			for c := range r.sumv {
				r.sumv[c] = sum[c][x-base : y-base]
			}
			r.skip = w.near[:0]
			for len(skip) > 0 && int(skip[0]) < y-o {
				r.skip = append(r.skip, skip[0]-int32(v))
				skip = skip[1:]
			}
			l.prepare(r)
			l.probabilities(r)
			run(l, r)
		}
		for c, v := range r.sum {
			sum[c][e-base] += v
		}
	}
}

// pair returns what the model says about the ordered pair of entries (e, f).
func (s *blocks) pair(e, f int) Pair {
	delta := s.a[e] + s.b[f]
	p := Pair{Scale2: delta * delta, Sigma2I: s.sigma2[e], Sigma2J: s.sigma2[f], Dims: s.d}
	for c := range s.mu {
		dx := s.mu[c][e] - s.mu[c][f]
		p.Dist2 += dx * dx
	}
	return p
}

// odd adds the one-way pairs of block b.
func (s *blocks) odd(b, base int, sum [][]float64, stat *statistic) {
	add := func(c, e int, v float64) { sum[c][e-base] += v }
	for _, o := range s.list[b].Odd {
		stat.odd(s, s.off[b]+int(o.U), s.off[b]+int(o.V), add)
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
			part[t] += s.loglikRows(b, from, to)
		}
	})
	var total float64
	for _, v := range part {
		total += v
	}
	return s.scale * total
}

func (s *blocks) loglikRows(b, from, to int) float64 {
	blk, o := &s.list[b], s.off[b]
	var total float64
	for u := from; u < to; u++ {
		skip := blk.Skips(u)
		for v := u + 1; v < blk.Len(); v++ {
			if len(skip) > 0 && int(skip[0]) == v {
				skip = skip[1:]
				continue
			}
			total += s.w[o+u] * s.w[o+v] * (s.pair(o+u, o+v).LogOther() + s.pair(o+v, o+u).LogOther())
		}
	}
	if from == 0 {
		for _, p := range blk.Odd {
			e, f := o+int(p.U), o+int(p.V)
			total += s.w[e] * s.w[f] * s.pair(e, f).LogOther()
		}
	}
	return total
}
