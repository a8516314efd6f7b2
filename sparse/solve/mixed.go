package solve

import (
	"math"

	"unfold/internal/simd"
)

const (
	// finest is the tolerance below which solves are in double precision.
	finest = 1e-12
	// group is the factor by which the residual may fall before the true residual is computed; the
	// groups of a solve are about equal.
	group = 1e-4
	// groupLength is the maximum number of iterations in a group.
	groupLength = 100
)

//go:generate go run ./asm -out kernels_amd64.s -stubs stubs_amd64.go -pkg solve

// mixed is the workspace of a solve for two columns in mixed precision with reliable updates
// (Sleijpen and van der Vorst, Reliable updated residuals in hybrid Bi-CG methods, 1996; Clark,
// Babich, Barros, Brower and Rebbi 2010). Iterations run in single precision on D^(-1/2) A D^(-1/2)
// y = D^(-1/2) b s, where D is the diagonal and the scale s makes the residual at the start of norm
// one. Whenever it has fallen by a factor, y is added to x in double precision, the residual is
// computed again from x, and iterations continue in the same directions.
type mixed struct {
	matrix     *sliced
	y, r, p, q []float32 // in the order of the matrix, whole slices
	weight     []float32 // diagonals relative to the largest, whole slices
	largest    []float64 // diagonals of the pieces
	fall       float64   // of the residual's square in a group
	level      simd.Level
}

func newMixed(n, pieces int, tolerance float64) *mixed {
	full := (n + slice - 1) / slice * slice
	m := &mixed{
		matrix: newSliced(n), weight: make([]float32, full+beyond)[:full], largest: make([]float64, pieces),
		level: simd.Best(),
	}
	for _, v := range []*[]float32{&m.y, &m.r, &m.p, &m.q} {
		*v = make([]float32, 2*full)
	}
	groups := math.Ceil(math.Log(tolerance)/math.Log(group) - 1e-9)
	m.fall = math.Pow(tolerance, 2/max(1, groups))
	return m
}

func (m *mixed) bytes() int64 {
	return m.matrix.bytes() + 4*int64(4*len(m.y)+cap(m.weight)) + 8*int64(len(m.largest))
}

// iterateMixed is worker t's part of a round in mixed precision. If that is not accurate enough, it
// sets c.gaveUp, and a round in double precision continues from x.
func (c *CG) iterateMixed(t int) {
	l := &c.workers[t]
	if !c.beginMixed(t, l) {
		c.giveUp(t, l)
		return
	}
	since := 0 // iterations since y was added to x
	for {
		if since > 0 && c.due(l, since) {
			good := c.update(t, l, since)
			since = 0
			if !good {
				c.giveUp(t, l)
				break
			}
		}
		if !c.open(t, l) {
			break
		}
		if !c.product(t, l, (*CG).applyMixed) {
			break
		}
		if !c.lengths(l) {
			c.giveUp(t, l)
			break
		}
		l.iterations++
		since++
		c.predict(l)
		c.each(t, c.steps, (*CG).stepMixed)
		c.collect(l, c.steps)
		for k, unit := range l.unit {
			l.rz[k], l.norm[k] = l.sums[k], l.sums[c.d+k]*unit
		}
	}
	if since > 0 {
		c.each(t, nil, (*CG).widen)
	}
}

// giveUp ends a round that must continue in double precision.
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

// beginMixed copies the matrix and computes the residual. It reports whether single precision
// suffices for the system.
func (c *CG) beginMixed(t int, l *worker) bool {
	l.iterations = 0
	m := c.mixed
	c.each(t, nil, (*CG).look)
	c.each(t, nil, (*CG).sortRows)
	if t == 0 {
		m.matrix.place()
	}
	c.team.wait()
	c.each(t, c.steps, (*CG).fill)
	c.findNull(t)
	if c.null != nil || c.unfit.Load() {
		return false
	}
	c.collect(l, c.steps)
	largest := 0.0
	for _, v := range m.largest {
		largest = max(largest, v)
	}
	c.scaleResidual(l, largest)
	copy(l.last, l.norm)
	l.largest = largest
	c.each(t, nil, (*CG).narrow)
	return true
}

// scaleResidual scales the first residual to length one in the norm of the preconditioner. The sums
// have r'z first and |r|^2 next; unit converts back to |r|^2 of the system, whose rows are divided
// by largest.
func (c *CG) scaleResidual(l *worker, largest float64) {
	for k, v := range l.sums[:c.d] {
		l.scale[k] = 1
		if v > 0 {
			l.scale[k] = 1 / math.Sqrt(v)
		}
		l.rz[k] = v * l.scale[k] * l.scale[k]
		l.unit[k] = largest / (l.scale[k] * l.scale[k])
	}
	copy(l.norm, l.sums[c.d:])
	copy(l.norm0, l.norm)
}

// sortRows orders the rows of a piece.
func (c *CG) sortRows(_ *worker, _ []float64, from, to int) {
	if !c.mixed.matrix.sort(c.a, from, to) {
		c.unfit.Store(true)
	}
	largest := 0.0
	for _, v := range c.a.Diagonal[from:to] {
		largest = max(largest, v)
	}
	c.mixed.largest[from/piece] = largest
}

// fill writes the entries of the matrix, sets r = b - A x, and sums r'r/D and r'r.
func (c *CG) fill(_ *worker, sums []float64, from, to int) {
	c.mixed.matrix.fill(c.a, from, to)
	c.residual(nil, nil, from, to)
	for i := from; i < to; i++ {
		inv := c.inverse[i]
		for k, v := range c.r.Row(i) {
			sums[k] += v * v * inv
			sums[c.d+k] += v * v
		}
	}
}

// narrow sets r and p to the residual in single precision, y = 0.
func (c *CG) narrow(l *worker, _ []float64, from, to int) {
	m := c.mixed
	for i := from; i < to; i++ {
		s := m.matrix.spots[i]
		k, r := 2*s.place, c.r.Row(i)
		m.weight[s.place] = float32(c.a.Diagonal[i] / l.largest)
		for j := range int32(2) {
			v := float32(r[j] * float64(s.root) * l.scale[j])
			m.r[k+j], m.p[k+j], m.y[k+j] = v, v, 0
		}
	}
}

// applyMixed sets q = A p, sums p'q and q'q.
func (c *CG) applyMixed(l *worker, sums []float64, from, to int) {
	m := c.mixed
	m.matrix.mulLevel(m.level, m.q, m.p, from/slice, (to+slice-1)/slice, &l.part)
	add(sums, &l.part)
}

// stepMixed sets y += alpha p, r -= alpha q, p = r + beta p, sums r'r and r'D r.
func (c *CG) stepMixed(l *worker, sums []float64, from, to int) {
	m := c.mixed
	to = (to + slice - 1) / slice * slice
	factors := [4]float32{float32(l.alpha[0]), float32(l.alpha[1]), float32(l.beta[0]), float32(l.beta[1])}
	l.factors = factors
	singleStepLevel(m.level, m.y[2*from:2*to], m.r[2*from:2*to], m.p[2*from:2*to], m.q[2*from:2*to], m.weight[from:to], &l.factors, &l.part)
	add(sums, &l.part)
}

// add adds the two sums for the places of a slice to those of the columns.
func add(sums []float64, part *[4 * slice]float32) {
	for k := 0; k < 2*slice; k += 2 {
		sums[0] += float64(part[k])
		sums[1] += float64(part[k+1])
		sums[2] += float64(part[2*slice+k])
		sums[3] += float64(part[2*slice+k+1])
	}
}

// due reports whether the residual should be computed again: that of a column has fallen far, or
// all have converged.
func (c *CG) due(l *worker, since int) bool {
	if since >= groupLength {
		return true
	}
	limit := c.s.Tolerance * c.s.Tolerance
	all := true
	for k, v := range l.norm {
		if v <= l.last[k]*c.mixed.fall && l.last[k] > limit*l.norm0[k] {
			return true
		}
		all = all && v <= limit*l.norm0[k]
	}
	return all
}

// update adds y to x and computes the residual again; p is adjusted by the difference. It reports
// whether single precision is accurate enough: the residual of every unconverged column has fallen
// tenfold or, in a short group, agrees with the recurrence.
func (c *CG) update(t int, l *worker, since int) bool {
	c.each(t, nil, (*CG).widen)
	c.each(t, c.steps, (*CG).renew)
	c.collect(l, c.steps)
	good, limit := true, c.s.Tolerance*c.s.Tolerance
	for k, now := range l.sums[c.d:] {
		said, last := l.norm[k], l.last[k]
		good = good && (now <= limit*l.norm0[k] || now <= 1e-2*last || since < groupLength && now <= 4*said)
		l.rz[k], l.norm[k], l.last[k] = l.sums[k], now, now
	}
	return good
}

// widen adds y to x and sets it to zero.
func (c *CG) widen(l *worker, _ []float64, from, to int) {
	m := c.mixed
	f0, f1 := 1/l.scale[0], 1/l.scale[1]
	for i := from; i < to; i++ {
		s := m.matrix.spots[i]
		x, y := (*[2]float64)(c.x.Data[2*i:]), (*[2]float32)(m.y[2*s.place:])
		root := float64(s.root)
		x[0] += float64(y[0]) * root * f0
		x[1] += float64(y[1]) * root * f1
		y[0], y[1] = 0, 0
	}
}

// renew sets r = b - A x, and sums r'r of single precision and of the true residual.
func (c *CG) renew(l *worker, sums []float64, from, to int) {
	m := c.mixed
	for ; from < to; from += strip {
		end := min(to, from+strip)
		c.a.MulRows(c.q, c.x, from, end)
		for i := from; i < end; i++ {
			s := m.matrix.spots[i]
			r, p := (*[2]float32)(m.r[2*s.place:]), (*[2]float32)(m.p[2*s.place:])
			b, q := (*[2]float64)(c.b.Data[2*i:]), (*[2]float64)(c.q.Data[2*i:])
			for k := range 2 {
				v := b[k] - q[k]
				sums[2+k] += v * v
				narrow := float32(v * float64(s.root) * l.scale[k])
				sums[k] += float64(narrow) * float64(narrow)
				p[k] += narrow - r[k]
				r[k] = narrow
			}
		}
	}
}
