package solve

import "unfold/internal/vec"

// These are the portable versions of the assembly of loose solves. Two columns have their own,
// whose sums stay in registers.

// mulPlain sets rows from..to of q = (diag(D) - W) p and sums p'q and q'q/D.
func (s *loose) mulPlain(a *Laplacian, from, to int, sums *looseSums) {
	*sums = looseSums{}
	if s.width() == 2 {
		s.mulPlain2(a, from, to, sums)
		return
	}
	p, q := vec.RowsOf[[4]float32](s.p), vec.RowsOf[[4]float32](s.q)
	for i := from; i < to; i++ {
		first, last := a.W.Start[i], a.W.Start[i+1]
		index := a.W.Index[first:last]
		w := a.Single[first:last][:len(index)]
		var s0, s1, s2 float32
		for e, j := range index {
			u := &p[j]
			s0 += w[e] * u[0]
			s1 += w[e] * u[1]
			s2 += w[e] * u[2]
		}
		d, u := s.diagonal[i], p[i]
		q[i] = [4]float32{d*u[0] - s0, d*u[1] - s1, d*u[2] - s2}
		for k, v := range q[i] {
			sums[k] += u[k] * v
			sums[4+k] += v * (v / d)
		}
	}
}

func (s *loose) mulPlain2(a *Laplacian, from, to int, sums *looseSums) {
	p, q := vec.RowsOf[[2]float32](s.p), vec.RowsOf[[2]float32](s.q)
	for i := from; i < to; i++ {
		first, last := a.W.Start[i], a.W.Start[i+1]
		index := a.W.Index[first:last]
		w := a.Single[first:last][:len(index)]
		var s0, s1 float32
		for e, j := range index {
			u := &p[j]
			s0 += w[e] * u[0]
			s1 += w[e] * u[1]
		}
		d, u := s.diagonal[i], p[i]
		s0, s1 = d*u[0]-s0, d*u[1]-s1
		q[i] = [2]float32{s0, s1}
		sums[0] += u[0] * s0
		sums[1] += u[1] * s1
		sums[2] += s0 * (s0 / d)
		sums[3] += s1 * (s1 / d)
	}
}

// looseFactors has alpha for each column, followed after a row's width by beta.
type looseFactors [8]float32

// stepPlain sets y += alpha p, r -= alpha q, p = r/D + beta p for rows from..to, and sums r'r/D and r'r.
func (s *loose) stepPlain(factors *looseFactors, from, to int, sums *looseSums) {
	*sums = looseSums{}
	if s.width() == 2 {
		stepRows[[2]float32](s, factors, from, to, sums)
		return
	}
	stepRows[[4]float32](s, factors, from, to, sums)
}

// stepRows is stepPlain for rows of type R: arrays of known length are twice as fast as slices.
func stepRows[R [2]float32 | [4]float32](s *loose, factors *looseFactors, from, to int, sums *looseSums) {
	var alpha, beta, weighted, squares R
	width := len(alpha)
	for k := range width {
		alpha[k], beta[k] = factors[k], factors[width+k]
	}
	ys, rs, ps, qs := vec.RowsOf[R](s.y), vec.RowsOf[R](s.r), vec.RowsOf[R](s.p), vec.RowsOf[R](s.q)
	for i := from; i < to; i++ {
		d, y, r, p, q := s.diagonal[i], ys[i], rs[i], ps[i], qs[i]
		for k := range width {
			y[k] += alpha[k] * p[k]
			v := r[k] - alpha[k]*q[k]
			z := v / d
			r[k] = v
			p[k] = z + beta[k]*p[k]
			weighted[k] += v * z
			squares[k] += v * v
		}
		ys[i], rs[i], ps[i] = y, r, p
	}
	for k := range width {
		sums[k], sums[width+k] = weighted[k], squares[k]
	}
}
