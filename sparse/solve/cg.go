package solve

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"unfold/internal/par"
	"unfold/internal/vec"
)

// CG is a conjugate-gradient solver for n x d systems with its workspace, which it reuses for the
// next systems. It is not safe for concurrent use.
type CG struct {
	n, d int
	s    Settings

	a       *Laplacian
	b, x    vec.Matrix[float64]
	r, p, q vec.Matrix[float64]
	inverse []float64  // 1 / diagonal
	bare    []bool     // the points without Gamma
	null    *nullSpace // of a, nil if a is regular
	loose   *loose     // nil if no solves are in single precision

	// products and steps have the sums of the pieces of rows, pieces x 2d, for products with the
	// matrix and for steps. They are separate, so that no worker writes what others still read.
	products, steps []float64
	workers         []worker
	team            *team

	ctx       context.Context
	cancelled atomic.Bool
	free      atomic.Bool // some point has no Gamma
	started   atomic.Bool // the start is not zero
	taken     []float64   // |part of r outside the range|^2 of every column
	restarted bool        // double precision continues from where single precision gave up
	unfit     atomic.Bool // a diagonal is out of the range of single precision
	gaveUp    bool        // single precision is not good enough for this system
	res       Result
	err       error

	// work and workLoose are c.iterate and c.iterateLoose. They are made once, so that a solve
	// allocates nothing.
	work, workLoose func(int)
}

// worker is one goroutine's copy of the recurrences. All workers compute the same numbers from the
// same sums.
type worker struct {
	alpha, beta []float64
	rz          []float64 // r'z
	norm, norm0 []float64 // |r|^2 now and at the start
	sums        []float64 // 2d
	iterations  int

	// scale and unit are used in single precision: the scales of columns, and the squared units of
	// r'r.
	scale, unit []float64

	_ [64]byte // another worker's numbers in a cache line of their own
}

// workerColumns is the number of column vectors of every worker.
const workerColumns = 9

// NewCG returns a solver for n x d systems.
func NewCG(n, d int, s Settings) *CG {
	if s.Tolerance <= 0 {
		s.Tolerance = 1e-8
	}
	if s.MaxIterations <= 0 {
		s.MaxIterations = 10*n + 100
	}
	pieces := par.Pieces(n, piece)
	c := &CG{
		n: n, d: d, s: s,
		taken:    make([]float64, d),
		products: make([]float64, 2*d*pieces), steps: make([]float64, 2*d*pieces),
		team: newTeam(s.Threads, n),
	}
	c.workers = make([]worker, c.team.workers)
	for t := range c.workers {
		all := make([]float64, workerColumns*d)
		cut := func(k int) (v []float64) { v, all = all[:k:k], all[k:]; return v }
		c.workers[t] = worker{alpha: cut(d), beta: cut(d), rz: cut(d), norm: cut(d), norm0: cut(d), sums: cut(2 * d),
			scale: cut(d), unit: cut(d)}
	}
	c.work = c.iterate
	if looseColumns(d) && s.Tolerance >= Loose && s.Single {
		c.loose, c.workLoose = newLoose(n, d), c.iterateLoose
	} else {
		c.double()
	}
	return c
}

// Bytes returns the memory of the workspace.
func (c *CG) Bytes() int64 {
	b := int64(len(c.bare)) + 8*int64(3*len(c.r.Data)+len(c.inverse)+len(c.products)+len(c.steps)+workerColumns*c.d*len(c.workers))
	if c.null != nil {
		b += c.null.bytes()
	}
	if c.loose != nil {
		b += c.loose.bytes()
	}
	return b
}

// Solve improves the start x to a solution of a x = b (n x d). After an error or the end of ctx, x
// has the last iterate. A singular system, with components without Gamma, has many solutions; Solve
// finds one of them.
func (c *CG) Solve(ctx context.Context, a *Laplacian, b, x vec.Matrix[float64]) (Result, error) {
	if a.W.N != c.n || len(a.Diagonal) != c.n || b.Rows != c.n || x.Rows != c.n || b.Cols != c.d || x.Cols != c.d {
		panic(fmt.Sprintf("solve: a %d x %d solver for %d points, b %d x %d, x %d x %d",
			c.n, c.d, a.W.N, b.Rows, b.Cols, x.Rows, x.Cols))
	}
	clock := time.Now()
	c.a, c.b, c.x, c.ctx = a, b, x, ctx
	defer func() { c.a, c.b, c.x, c.ctx = nil, vec.Matrix[float64]{}, vec.Matrix[float64]{}, nil }()
	c.res, c.err, c.restarted, c.gaveUp = Result{}, nil, false, false
	c.unfit.Store(false)
	c.cancelled.Store(false)
	c.free.Store(false)
	c.started.Store(false)
	c.null = nil
	if c.loose != nil {
		c.team.run(c.workLoose)
		c.res.Single = c.res.Iterations
		c.restarted = c.res.Iterations > 0
	}
	if c.loose == nil || c.gaveUp && c.res.Iterations < c.s.MaxIterations {
		c.started.Store(false)
		c.double()
		c.team.run(c.work)
	}
	c.res.Unreachable = c.unreachable()
	c.res.Bytes = c.Bytes()
	c.res.Solve = time.Since(clock)
	return c.res, c.err
}

// unreachable returns Result.Unreachable.
func (c *CG) unreachable() (worst float64) {
	if c.null == nil {
		return 0
	}
	for k, v := range c.taken {
		if v > 0 {
			worst = max(worst, math.Sqrt(v/(v+c.workers[0].norm0[k])))
		}
	}
	return worst
}

// iterate is worker t's part of a solve: passes over pieces of rows. All workers take the same
// decisions.
func (c *CG) iterate(t int) {
	l := &c.workers[t]
	c.begin(t, l)
	for c.open(t, l) {
		if !c.product(t, l, (*CG).apply) {
			return
		}
		l.iterations++
		if !c.lengths(l) {
			c.end(t, l, ErrIndefinite)
			return
		}
		c.jacobi(t, l)
	}
}

// product runs the pass that multiplies with the matrix and collects its sums. If the context is
// done it ends the round and reports false.
func (c *CG) product(t int, l *worker, apply func(c *CG, l *worker, sums []float64, from, to int)) bool {
	if t == 0 && c.ctx.Err() != nil {
		c.cancelled.Store(true)
	}
	c.each(t, c.products, apply)
	if c.cancelled.Load() {
		c.end(t, l, c.ctx.Err())
		return false
	}
	c.collect(l, c.products)
	return true
}

// open computes the residual and reports whether another iteration is needed.
func (c *CG) open(t int, l *worker) bool {
	limit := c.s.Tolerance * c.s.Tolerance
	residual, active := 0.0, 0
	for k, v := range l.norm {
		if l.norm0[k] > 0 {
			residual = max(residual, math.Sqrt(v/l.norm0[k]))
		}
		switch {
		case v > limit*l.norm0[k]:
			active++
		case !(v <= limit*l.norm0[k]): // NaN
			c.end(t, l, ErrIndefinite)
			return false
		}
	}
	if t == 0 {
		c.res.Residual, c.res.Converged = residual, active == 0
	}
	if active == 0 || l.iterations >= c.s.MaxIterations {
		c.end(t, l, nil)
		return false
	}
	return true
}

// end stores the result of the round.
func (c *CG) end(t int, l *worker, err error) {
	if t == 0 {
		c.res.Iterations, c.err = l.iterations, err
	}
}

// lengths sets alpha = r'z / p'q; it is 0 for a converged column.
func (c *CG) lengths(l *worker) bool {
	limit := c.s.Tolerance * c.s.Tolerance
	for k := range l.alpha {
		l.alpha[k] = 0
		if l.norm[k] > limit*l.norm0[k] {
			if !(l.sums[k] > 0) {
				return false
			}
			l.alpha[k] = l.rz[k] / l.sums[k]
		}
	}
	return true
}

// each runs a pass over pieces of rows and waits for the other workers. Each piece has its own 2d
// sums, cleared first, if part is not nil. Sums that others may still read are not changed before
// the end of another pass.
func (c *CG) each(t int, part []float64, pass func(c *CG, l *worker, sums []float64, from, to int)) {
	for k := c.team.next(t); k >= 0; k = c.team.next(t) {
		var sums []float64
		if part != nil {
			sums = part[k*2*c.d : (k+1)*2*c.d]
			clear(sums)
		}
		pass(c, &c.workers[t], sums, k*piece, min(c.n, (k+1)*piece))
	}
	c.team.wait()
}

// collect adds the sums of the pieces, in order.
func (c *CG) collect(l *worker, part []float64) {
	clear(l.sums)
	for p := 0; p < len(part); p += 2 * c.d {
		for k, v := range part[p : p+2*c.d] {
			l.sums[k] += v
		}
	}
}
