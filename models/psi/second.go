package psi

import (
	"unfold/internal/par"
	"unfold/internal/vec"
)

// SecondGradient adds the derivatives of sum_n c_n sum_ab W_ab Psi2n_ab, for a symmetric W (m x m).
//
// With r = 2 alpha S + 1, c = alpha/r, d = mu - (z_a + z_b)/2 and h = z_a - z_b, log Psi2 = 2 log v
// - 1/2 log r - alpha h^2/4 - c d^2. The derivatives in an input need the sums of Psi2, Psi2 d and
// Psi2 d^2 over the pairs. Those in a pair need the sums of Psi2 and Psi2 c d over the inputs.
func (k *Kernel) SecondGradient(g *Gradient, c []float64, w vec.Matrix[float64], in Inputs, z vec.Matrix[float64], threads int) {
	p := k.pairs(z)
	p.weigh(w)
	k.secondGradient(g, p, c, vec.Matrix[float64]{}, in, z, threads)
}

// secondGradient adds the derivatives of sum_n c_n sum_p v_np Psi2n_p over the pairs p, whose
// factors hold all other weights. v is 1 if it has no rows.
func (k *Kernel) secondGradient(g *Gradient, p *pairs, c []float64, v vec.Matrix[float64], in Inputs, z vec.Matrix[float64], threads int) {
	n, dims := in.Mu.Rows, len(k.Alpha)
	parts := make([]*secondPart, par.Pieces(n, piece(n)))
	par.Ranges(threads, n, piece(n), func(at, first, end int) {
		parts[at] = &secondPart{kernel: k, pairs: p, own: v, in: in, first: first,
			byPair: vec.New[float64](1+dims, len(p.factor)), sums: vec.New[float64](end-first, 1+2*dims)}
		parts[at].run(c[first:end])
		parts[at].inputs(g.Mu.Slice(first, end), g.S.Slice(first, end))
	})
	if len(parts) == 0 {
		return
	}
	whole := parts[0]
	for _, part := range parts {
		g.Variance += 2 * part.total / k.Variance
		vec.Axpy(1, part.alpha, g.Alpha)
		if part != whole {
			vec.Axpy(1, part.byPair.Data, whole.byPair.Data)
		}
	}
	whole.spread(g, z)
}

// secondPart is the work of SecondGradient on one piece of the inputs.
type secondPart struct {
	kernel *Kernel
	pairs  *pairs
	// own has weights of the pairs for each input, if it has rows.
	own   vec.Matrix[float64]
	in    Inputs
	first int
	// byPair has sums over the inputs for each pair: of Psi2, and of Psi2 c_q d_q.
	byPair vec.Matrix[float64]
	// sums has sums over the pairs for each input: of Psi2, Psi2 d_q and Psi2 d_q^2.
	sums  vec.Matrix[float64]
	total float64
	alpha []float64
}

// run computes the sums over the inputs and over the pairs.
func (s *secondPart) run(weight []float64) {
	dims := len(s.kernel.Alpha)
	c, e := make([]float64, dims), make([]float64, chunk)
	s.pairs.chunks(func(from, to int) {
		e := e[:to-from]
		for i, weight := range weight {
			n := s.first + i
			scale := weight * s.kernel.scales(c, s.in.S.Row(n))
			if scale == 0 {
				continue
			}
			s.pairs.exponentials(e, c, s.in.Mu.Row(n), from)
			if s.own.Rows > 0 {
				for j, v := range s.own.Row(n)[from:to] {
					e[j] *= v
				}
			}
			s.sums.Row(i)[0] += s.weigh(e, scale, from)
			if dims == 2 {
				s.plane(i, e, c, from)
				continue
			}
			for q := range dims {
				s.line(i, q, e, c[q], from)
			}
		}
	})
}

// weigh multiplies e by the pairs' factors and scale, and adds it to the pairs' sums. It returns
// the sum of e.
func (s *secondPart) weigh(e []float64, scale float64, from int) (total float64) {
	factor, sum := s.pairs.factor[from:from+len(e)], s.byPair.Row(0)[from:from+len(e)]
	for i, f := range factor {
		v := scale * f * e[i]
		e[i] = v
		sum[i] += v
		total += v
	}
	return total
}

// line does dimension q of one input.
func (s *secondPart) line(i, q int, e []float64, c float64, from int) {
	to := from + len(e)
	middle, sum := s.pairs.middle.Row(q)[from:to], s.byPair.Row(1 + q)[from:to]
	mu, first, square := s.in.Mu.Row(s.first + i)[q], 0.0, 0.0
	for j, v := range e {
		d := mu - middle[j]
		t := v * d
		first += t
		square += t * d
		sum[j] += c * t
	}
	own := s.sums.Row(i)[1+2*q:]
	own[0] += first
	own[1] += square
}

// plane computes both dimensions of one input in one pass, for q = 2.
func (s *secondPart) plane(i int, e, c []float64, from int) {
	to := from + len(e)
	x, y := s.pairs.middle.Row(0)[from:to], s.pairs.middle.Row(1)[from:to]
	sumX, sumY := s.byPair.Row(1)[from:to], s.byPair.Row(2)[from:to]
	mu := s.in.Mu.Row(s.first + i)
	u, v, cx, cy := mu[0], mu[1], c[0], c[1]
	var firstX, firstY, squareX, squareY float64
	for j, w := range e {
		dx, dy := u-x[j], v-y[j]
		tx, ty := w*dx, w*dy
		firstX += tx
		firstY += ty
		squareX += tx * dx
		squareY += ty * dy
		sumX[j] += cx * tx
		sumY[j] += cy * ty
	}
	own := s.sums.Row(i)[1:]
	own[0] += firstX
	own[1] += squareX
	own[2] += firstY
	own[3] += squareY
}

// inputs adds the derivatives in the inputs of the piece (rows of mu and variance), and sets their
// contribution to the derivatives in alpha.
func (s *secondPart) inputs(mu, variance vec.Matrix[float64]) {
	s.alpha = make([]float64, len(s.kernel.Alpha))
	for i := range mu.Rows {
		total := s.sums.Row(i)[0]
		s.total += total
		for q, alpha := range s.kernel.Alpha {
			first, square := s.sums.Row(i)[1+2*q], s.sums.Row(i)[2+2*q]
			v := s.in.S.Row(s.first + i)[q]
			r := 2*alpha*v + 1
			c := alpha / r
			mu.Row(i)[q] -= 2 * c * first
			variance.Row(i)[q] += 2*c*c*square - c*total
			s.alpha[q] -= v/r*total + square/(r*r)
		}
	}
}

// spread adds the derivatives in the inducing inputs and in alpha that follow from the pairs' sums.
func (s *secondPart) spread(g *Gradient, z vec.Matrix[float64]) {
	at := 0
	for a := range s.pairs.m {
		for b := range a + 1 {
			total := s.byPair.Row(0)[at]
			for q, alpha := range s.kernel.Alpha {
				h, in := z.Row(a)[q]-z.Row(b)[q], s.byPair.Row(1 + q)[at]
				g.Alpha[q] -= total * h * h / 4
				g.Z.Row(a)[q] += in - total*alpha*h/2
				g.Z.Row(b)[q] += in + total*alpha*h/2
			}
			at++
		}
	}
}
