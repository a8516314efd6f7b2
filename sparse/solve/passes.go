package solve

// strip is the number of rows whose products are still in the first-level cache when their sums are
// formed.
const strip = 128

// lowest is the smallest ratio of successive r'z for which the prediction is used, see jacobi.
const lowest = 1e-2

// begin computes r = b - A x and p = z = r/D.
func (c *CG) begin(t int, l *worker) {
	c.each(t, c.products, (*CG).look)
	c.each(t, c.steps, (*CG).residual)
	c.findNull(t)
	if c.null != nil {
		for k := t; k < c.d; k += len(c.workers) {
			c.taken[k] = c.null.project(c.r.Data[k:], c.d, k)
		}
		c.team.wait()
	}
	c.each(t, c.steps, (*CG).firstDirection)
	c.collect(l, c.steps)
	copy(l.rz, l.sums[:c.d])
	copy(l.norm, l.sums[c.d:])
	if !c.restarted {
		l.iterations = 0
		copy(l.norm0, l.norm)
	}
}

// look sets started if the start is not zero; it usually is.
func (c *CG) look(_ *worker, _ []float64, from, to int) {
	if c.started.Load() {
		return
	}
	for _, v := range c.x.Data[from*c.d : to*c.d] {
		if v != 0 {
			c.started.Store(true)
			return
		}
	}
}

// residual sets r = b - A x, and sets free if a point has no Gamma.
func (c *CG) residual(_ *worker, _ []float64, from, to int) {
	d := c.d
	if c.started.Load() {
		for at := from; at < to; at += strip {
			end := min(to, at+strip)
			c.a.MulRows(c.q, c.x, at, end)
			for e := at * d; e < end*d; e++ {
				c.r.Data[e] = c.b.Data[e] - c.q.Data[e]
			}
		}
	} else {
		copy(c.r.Data[from*d:to*d], c.b.Data[from*d:])
	}
	free := false
	for i := from; i < to; i++ {
		c.inverse[i] = inverse(c.a.Diagonal[i])
		if c.bare[i] = false; c.a.Definite {
			continue
		}
		_, w := c.a.W.Row(i)
		c.bare[i] = excess(c.a.Diagonal[i], w) == 0
		free = free || c.bare[i]
	}
	if free {
		c.free.Store(true)
	}
}

// findNull computes the null space if there may be one.
func (c *CG) findNull(t int) {
	if !c.free.Load() {
		return
	}
	if t == 0 {
		c.null = newNullSpace(c.a, c.bare, c.d)
	}
	c.team.wait()
}

// firstDirection sets p = r/D, sums r'z and r'r.
func (c *CG) firstDirection(_ *worker, sums []float64, from, to int) {
	d := c.d
	if d == 2 {
		firstDirection2(sums, c.r.Data[2*from:2*to], c.p.Data[2*from:2*to], c.inverse[from:to])
		return
	}
	for i := from; i < to; i++ {
		inv, r, p := c.inverse[i], c.r.Row(i), c.p.Row(i)
		for k, v := range r {
			p[k] = v * inv
			sums[k] += v * p[k]
			sums[d+k] += v * v
		}
	}
}

// apply sets q = A p, sums p'q and q'q / diagonal.
func (c *CG) apply(_ *worker, sums []float64, from, to int) {
	d := c.d
	for ; from < to; from += strip {
		end := min(to, from+strip)
		c.a.MulRows(c.q, c.p, from, end)
		p, q, inverse := c.p.Data[from*d:end*d], c.q.Data[from*d:end*d], c.inverse[from:end]
		if d == 2 {
			dots2(sums, p, q, inverse)
			continue
		}
		for i, inv := range inverse {
			for k := range d {
				e := i*d + k
				sums[k] += p[e] * q[e]
				sums[d+k] += q[e] * q[e] * inv
			}
		}
	}
}

// jacobi completes an iteration with the diagonal D as preconditioner. With z = r / D and exact
// arithmetic
//
//	r_new'z_new = alpha^2 q'q / D - r'z
//
// (Meurant 1987). So beta is known before the step, and x, r and p are updated in one pass; the
// next alpha uses the true r'z. If r'z falls by much, the difference is inaccurate, and there are
// two passes.
func (c *CG) jacobi(t int, l *worker) {
	known := true
	for k, alpha := range l.alpha {
		l.beta[k] = 0
		if alpha != 0 {
			next := alpha*alpha*l.sums[c.d+k] - l.rz[k]
			known = known && next > lowest*l.rz[k]
			l.beta[k] = next / l.rz[k]
		}
	}
	if known {
		c.each(t, c.steps, (*CG).stepAndDirection)
		c.sumSteps(l)
		return
	}
	c.each(t, c.steps, (*CG).step)
	c.collect(l, c.steps)
	for k, alpha := range l.alpha {
		l.beta[k] = 0
		if alpha != 0 {
			l.beta[k] = l.sums[k] / l.rz[k]
		}
	}
	c.sumSteps(l)
	c.each(t, c.products, (*CG).nextDirection)
}

// sumSteps computes r'z and r'r from the sums of the steps.
func (c *CG) sumSteps(l *worker) {
	c.collect(l, c.steps)
	copy(l.rz, l.sums[:c.d])
	copy(l.norm, l.sums[c.d:])
}

// stepAndDirection sets x += alpha p, r -= alpha q, p = r/D + beta p, sums r'r/D and r'r.
func (c *CG) stepAndDirection(l *worker, sums []float64, from, to int) {
	d := c.d
	x, r := c.x.Data[from*d:to*d], c.r.Data[from*d:to*d]
	p, q, inverse := c.p.Data[from*d:to*d], c.q.Data[from*d:to*d], c.inverse[from:to]
	if d == 2 {
		stepAndDirection2(l, sums, x, r, p, q, inverse)
		return
	}
	for i, inv := range inverse {
		for k := range d {
			e := i*d + k
			x[e] += l.alpha[k] * p[e]
			v := r[e] - l.alpha[k]*q[e]
			z := v * inv
			r[e] = v
			p[e] = z + l.beta[k]*p[e]
			sums[k] += v * z
			sums[d+k] += v * v
		}
	}
}

// step sets x += alpha p, r -= alpha q, sums r'r/D and r'r.
func (c *CG) step(l *worker, sums []float64, from, to int) {
	d := c.d
	if d == 2 {
		step2(l, sums, c.x.Data[2*from:2*to], c.r.Data[2*from:2*to], c.p.Data[2*from:2*to], c.q.Data[2*from:2*to], c.inverse[from:to])
		return
	}
	for i := from; i < to; i++ {
		inv := c.inverse[i]
		for k := range d {
			e := i*d + k
			c.x.Data[e] += l.alpha[k] * c.p.Data[e]
			v := c.r.Data[e] - l.alpha[k]*c.q.Data[e]
			c.r.Data[e] = v
			sums[k] += v * v * inv
			sums[d+k] += v * v
		}
	}
}

// nextDirection sets p = r/D + beta p.
func (c *CG) nextDirection(l *worker, _ []float64, from, to int) {
	for k, beta := range l.beta {
		for i := from; i < to; i++ {
			e := i*c.d + k
			c.p.Data[e] = c.r.Data[e]*c.inverse[i] + beta*c.p.Data[e]
		}
	}
}
