package solve

import (
	"unfold/internal/simd"
	"unfold/internal/vec"
	"unfold/sparse"
)

// Wide returns a with the values of W in double precision: itself, or a copy where they are
// Single.
func (a *Laplacian) Wide() *Laplacian {
	if a.Single == nil {
		return a
	}
	w := sparse.CSR{N: a.W.N, M: a.W.M, Start: a.W.Start, Index: a.W.Index, Data: make([]float64, len(a.Single))}
	for e, v := range a.Single {
		w.Data[e] = float64(v)
	}
	return &Laplacian{W: &w, Diagonal: a.Diagonal, Definite: a.Definite}
}

// loose is the workspace of loose solves for two columns in single precision: of the matrix as it
// is, preconditioned with its diagonal D, for the right-hand side b s, s a scale that makes
// b'b/D one.
type loose struct {
	diagonal   []float32
	y, r, p, q [][2]float32
	level      simd.Level
}

func newLoose(n int) *loose {
	column := func() [][2]float32 { return make([][2]float32, n) }
	return &loose{diagonal: make([]float32, n), y: column(), r: column(), p: column(), q: column(), level: simd.Best()}
}

func (s *loose) bytes() int64 { return 4 * int64(9*len(s.diagonal)) }

// double makes what rounds in double precision work on, which loose solves hardly ever need.
func (c *CG) double() {
	if c.a != nil {
		c.a = c.a.Wide()
	}
	if c.inverse == nil {
		c.r, c.p, c.q = vec.New[float64](c.n, c.d), vec.New[float64](c.n, c.d), vec.New[float64](c.n, c.d)
		c.inverse, c.bare = make([]float64, c.n), make([]bool, c.n)
	}
}

// iterateLoose is what worker t does of a round in single precision. Where that is not enough,
// c.gaveUp is set, and a round in double precision goes on from x.
func (c *CG) iterateLoose(t int) {
	l := &c.workers[t]
	if !c.beginLoose(t, l) {
		c.giveUp(t, l)
		return
	}
	for c.open(t, l) {
		if !c.product(t, l, (*CG).applyLoose) {
			break
		}
		if !c.lengths(l) {
			c.giveUp(t, l)
			break
		}
		l.iterations++
		c.predict(l)
		c.each(t, c.steps, (*CG).stepLoose)
		c.collect(l, c.steps)
		for k, unit := range l.unit {
			l.rz[k], l.norm[k] = l.sums[k], l.sums[c.d+k]*unit
		}
	}
	c.each(t, nil, (*CG).addLoose)
}

// beginLoose makes the residual. It says whether the system is fit for single precision: regular,
// to be solved from zero, and with diagonals far from the ends of its range.
func (c *CG) beginLoose(t int, l *worker) bool {
	l.iterations = 0
	c.each(t, c.products, (*CG).look)
	if c.a.Single == nil || !c.a.Definite || c.started.Load() {
		return false
	}
	c.each(t, c.steps, (*CG).weigh)
	if c.unfit.Load() {
		return false
	}
	c.collect(l, c.steps)
	c.scaleResidual(l, 1)
	c.each(t, nil, (*CG).narrowLoose)
	return true
}

// weigh takes the diagonal and sums b'b/D and b'b.
func (c *CG) weigh(_ *worker, sums []float64, from, to int) {
	fit := true
	b := vec.RowsOf[[2]float64](c.b)
	for i, d := range c.a.Diagonal[from:to] {
		c.loose.diagonal[from+i] = float32(d)
		fit = fit && d > 1e-30 && d < 1e30
		for k, v := range b[from+i] {
			sums[k] += v * v / d
			sums[2+k] += v * v
		}
	}
	if !fit {
		c.unfit.Store(true)
	}
}

// narrowLoose sets r to b s, p = r/D, y = 0.
func (c *CG) narrowLoose(l *worker, _ []float64, from, to int) {
	s, b := c.loose, vec.RowsOf[[2]float64](c.b)
	for i := from; i < to; i++ {
		d := s.diagonal[i]
		r := [2]float32{float32(b[i][0] * l.scale[0]), float32(b[i][1] * l.scale[1])}
		s.r[i], s.p[i], s.y[i] = r, [2]float32{r[0] / d, r[1] / d}, [2]float32{}
	}
}

// applyLoose sets q = A p, sums p'q and q'q/D.
func (c *CG) applyLoose(_ *worker, sums []float64, from, to int) {
	var part [4]float32
	c.loose.mul(c.loose.level, c.a, from, to, &part)
	for k, v := range part {
		sums[k] += float64(v)
	}
}

// stepLoose sets y += alpha p, r -= alpha q, p = r/D + beta p, sums r'r/D and r'r.
func (c *CG) stepLoose(l *worker, sums []float64, from, to int) {
	var part [4]float32
	l.factors = [4]float32{float32(l.alpha[0]), float32(l.alpha[1]), float32(l.beta[0]), float32(l.beta[1])}
	c.loose.step(c.loose.level, &l.factors, from, to, &part)
	for k, v := range part {
		sums[k] += float64(v)
	}
}

// addLoose adds y/s to x.
func (c *CG) addLoose(l *worker, _ []float64, from, to int) {
	x, f0, f1 := vec.RowsOf[[2]float64](c.x), 1/l.scale[0], 1/l.scale[1]
	for i, y := range c.loose.y[from:to] {
		x[from+i][0] += float64(y[0]) * f0
		x[from+i][1] += float64(y[1]) * f1
	}
}

// mulPlain sets rows from..to of q = (diag(D) - W) p and sums p'q and q'q/D: the plain twin of the
// assembly.
func (s *loose) mulPlain(a *Laplacian, from, to int, sums *[4]float32) {
	clear(sums[:])
	for i := from; i < to; i++ {
		first, last := a.W.Start[i], a.W.Start[i+1]
		index := a.W.Index[first:last]
		w := a.Single[first:last][:len(index)]
		var s0, s1 float32
		for e, j := range index {
			u := &s.p[j]
			s0 += w[e] * u[0]
			s1 += w[e] * u[1]
		}
		d, u := s.diagonal[i], s.p[i]
		s0, s1 = d*u[0]-s0, d*u[1]-s1
		s.q[i] = [2]float32{s0, s1}
		sums[0] += u[0] * s0
		sums[1] += u[1] * s1
		sums[2] += s0 * (s0 / d)
		sums[3] += s1 * (s1 / d)
	}
}

// stepPlain sets y += alpha p, r -= alpha q, p = r/D + beta p for rows from..to, with factors alpha
// and beta of each column, and sums r'r/D and r'r: the plain twin of the assembly.
func (s *loose) stepPlain(factors *[4]float32, from, to int, sums *[4]float32) {
	clear(sums[:])
	for i := from; i < to; i++ {
		d, y, r, p, q := s.diagonal[i], &s.y[i], &s.r[i], &s.p[i], &s.q[i]
		for k := range 2 {
			y[k] += factors[k] * p[k]
			v := r[k] - factors[k]*q[k]
			z := v / d
			r[k] = v
			p[k] = z + factors[2+k]*p[k]
			sums[k] += v * z
			sums[2+k] += v * v
		}
	}
}
