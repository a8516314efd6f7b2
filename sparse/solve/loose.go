package solve

import (
	"math"

	"unfold/internal/simd"
	"unfold/internal/vec"
	"unfold/sparse"
)

//go:generate env GOFLAGS=-tags=noasm go run -C ../../internal/asm ./amd64/solve -out ../../sparse/solve/kernels_amd64.s -stubs ../../sparse/solve/stubs_amd64.go -pkg solve

// Wide returns a with the values of W in double precision: a itself, or a copy if they are Single.
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

// loose is the workspace of loose solves for two or three columns in single precision. They use the
// matrix without a copy, its diagonal D as preconditioner, and the right-hand side b s, with a
// scale s that makes b'b/D one. A row of vectors has two values, or four with the last one zero.
type loose struct {
	diagonal   []float32
	y, r, p, q vec.Matrix[float32] // n x width
	level      simd.Level
}

// looseColumns reports whether loose solves support d columns.
func looseColumns(d int) bool { return d == 2 || d == 3 }

func newLoose(n, d int) *loose {
	rows := func() vec.Matrix[float32] { return vec.New[float32](n, d+d%2) }
	return &loose{diagonal: make([]float32, n), y: rows(), r: rows(), p: rows(), q: rows(), level: simd.Best()}
}

// width returns the number of values of a row.
func (s *loose) width() int { return s.p.Cols }

func (s *loose) bytes() int64 { return 4 * int64(len(s.diagonal)+4*len(s.p.Data)) }

// double prepares the matrix for passes in double precision, which loose solves hardly ever need.
func (c *CG) double() {
	if c.a != nil {
		c.a = c.a.Wide()
	}
	if c.inverse == nil {
		c.r, c.p, c.q = vec.New[float64](c.n, c.d), vec.New[float64](c.n, c.d), vec.New[float64](c.n, c.d)
		c.inverse, c.bare = make([]float64, c.n), make([]bool, c.n)
	}
}

// iterateLoose is worker t's part of a solve in single precision. If that is not accurate enough,
// it sets c.gaveUp, and double precision continues from x.
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

// giveUp ends single precision; double precision continues from x.
func (c *CG) giveUp(t int, l *worker) {
	if t == 0 {
		c.gaveUp = true
	}
	c.end(t, l, nil)
}

// predict computes beta from the predicted r'r, see jacobi. In single precision the difference is
// always accurate enough: the error of beta is of the size of rounding.
func (c *CG) predict(l *worker) {
	for k, alpha := range l.alpha {
		l.beta[k] = 0
		if alpha != 0 {
			l.beta[k] = max(0, alpha*alpha*l.sums[c.d+k]/l.rz[k]-1)
		}
	}
}

// beginLoose computes the residual. It reports whether single precision suffices: the system is
// regular, the start is zero, and diagonals are far from the ends of the number range.
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
	c.scaleResidual(l)
	c.each(t, nil, (*CG).narrowLoose)
	return true
}

// scaleResidual scales the first residual to length one in the norm of the preconditioner. The sums
// have r'z first and |r|^2 next; unit converts back to |r|^2 of the system.
func (c *CG) scaleResidual(l *worker) {
	for k, v := range l.sums[:c.d] {
		l.scale[k] = 1
		if v > 0 {
			l.scale[k] = 1 / math.Sqrt(v)
		}
		l.rz[k] = v * l.scale[k] * l.scale[k]
		l.unit[k] = 1 / (l.scale[k] * l.scale[k])
	}
	copy(l.norm, l.sums[c.d:])
	copy(l.norm0, l.norm)
}

// weigh copies the diagonal and sums b'b/D and b'b.
func (c *CG) weigh(_ *worker, sums []float64, from, to int) {
	fit := true
	for i, d := range c.a.Diagonal[from:to] {
		c.loose.diagonal[from+i] = float32(d)
		fit = fit && d > 1e-30 && d < 1e30
		for k, v := range c.b.Row(from + i) {
			sums[k] += v * v / d
			sums[c.d+k] += v * v
		}
	}
	if !fit {
		c.unfit.Store(true)
	}
}

// narrowLoose sets r to b s, p = r/D, y = 0.
func (c *CG) narrowLoose(l *worker, _ []float64, from, to int) {
	s := c.loose
	for i := from; i < to; i++ {
		r, p := s.r.Row(i), s.p.Row(i)
		clear(s.y.Row(i))
		for k, v := range c.b.Row(i) {
			r[k] = float32(v * l.scale[k])
			p[k] = r[k] / s.diagonal[i]
		}
	}
}

// looseSums has two sums for each column: the first ones, followed after a row's width by the
// second ones.
type looseSums [8]float32

// addTo adds them to the sums of d columns.
func (p *looseSums) addTo(sums []float64, width int) {
	d := len(sums) / 2
	for k := range d {
		sums[k] += float64(p[k])
		sums[d+k] += float64(p[width+k])
	}
}

// applyLoose sets q = A p, sums p'q and q'q/D.
func (c *CG) applyLoose(_ *worker, sums []float64, from, to int) {
	var part looseSums
	c.loose.mul(c.a, from, to, &part)
	part.addTo(sums, c.loose.width())
}

// stepLoose sets y += alpha p, r -= alpha q, p = r/D + beta p, sums r'r/D and r'r.
func (c *CG) stepLoose(l *worker, sums []float64, from, to int) {
	var factors looseFactors
	var part looseSums
	width := c.loose.width()
	for k := range c.d {
		factors[k], factors[width+k] = float32(l.alpha[k]), float32(l.beta[k])
	}
	c.loose.step(&factors, from, to, &part)
	part.addTo(sums, width)
}

// addLoose adds y/s to x.
func (c *CG) addLoose(l *worker, _ []float64, from, to int) {
	var back [3]float64
	for k, v := range l.scale {
		back[k] = 1 / v
	}
	for i := from; i < to; i++ {
		y, x := c.loose.y.Row(i), c.x.Row(i)
		for k := range x {
			x[k] += float64(y[k]) * back[k]
		}
	}
}
