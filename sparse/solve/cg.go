package solve

import (
	"context"
	"errors"
	"fmt"
	"math"

	"unfold/sparse/par"
	"unfold/sparse/vec"
)

// Exact is the tolerance of a solve that is limited by rounding only.
const Exact = 1e-14

// Settings of a solve. The zero value is usable.
type Settings struct {
	// Tolerance is the residual, relative to that of the start, at which a
	// column stops. Default 1e-8.
	Tolerance float64
	// MaxIterations bounds the sweeps. Default 10 n + 100, which only a
	// hopelessly ill-conditioned system reaches.
	MaxIterations int
	// Threads bounds the goroutines; 0 means GOMAXPROCS.
	Threads int
}

// Result says how a solve went.
type Result struct {
	// Iterations is the number of sweeps over the matrix.
	Iterations int
	// Residual is the largest, over the columns, of |B - A X| divided by its
	// value at the start (0 if that was 0).
	Residual float64
	// Converged says that every column reached the tolerance.
	Converged bool
	// Bytes is the memory of the workspace.
	Bytes int64
}

// ErrIndefinite is returned if a direction of non-positive curvature turns up:
// the matrix is not positive definite on the space that the right-hand side
// spans, or holds NaN.
var ErrIndefinite = errors.New("solve: the matrix is not positive definite, or an entry is not a number")

// CG is a conjugate-gradient solver for n x d systems with its workspace. It
// must not be used by two goroutines at once.
type CG struct {
	n, d int
	s    Settings

	a          *Laplacian
	x          vec.Matrix[float64]
	r, p, q    vec.Matrix[float64]
	inverse    []float64 // 1 / diagonal
	alpha      []float64 // per column
	beta       []float64
	rz         []float64 // r'z
	norm       []float64 // |r|^2
	norm0      []float64 // |r|^2 of the start
	part, sums []float64 // pieces x 2d, 2d
	first      bool

	applyTask, stepTask, turnTask, startTask func(int)
}

// NewCG returns a solver for n x d systems.
func NewCG(n, d int, s Settings) *CG {
	if s.Tolerance <= 0 {
		s.Tolerance = 1e-8
	}
	if s.MaxIterations <= 0 {
		s.MaxIterations = 10*n + 100
	}
	c := &CG{
		n: n, d: d, s: s,
		r: vec.New[float64](n, d), p: vec.New[float64](n, d), q: vec.New[float64](n, d),
		inverse: make([]float64, n), alpha: make([]float64, d), beta: make([]float64, d),
		rz: make([]float64, d), norm: make([]float64, d), norm0: make([]float64, d),
		part: make([]float64, par.Pieces(n, piece)*2*d), sums: make([]float64, 2*d),
	}
	c.applyTask, c.stepTask, c.turnTask, c.startTask = c.apply, c.step, c.turn, c.start
	return c
}

// Bytes returns the memory of the workspace.
func (c *CG) Bytes() int64 {
	return 8 * int64(len(c.r.Data)+len(c.p.Data)+len(c.q.Data)+len(c.inverse)+len(c.part)+len(c.sums)+5*c.d)
}

// Solve improves x until a x = b as the settings say. b and x are n x d; x is
// the start. If ctx ends, x is what it was after the last whole iteration.
func (c *CG) Solve(ctx context.Context, a *Laplacian, b, x vec.Matrix[float64]) (Result, error) {
	if a.W.N != c.n || b.Rows != c.n || x.Rows != c.n || b.Cols != c.d || x.Cols != c.d {
		panic(fmt.Sprintf("solve: %d rows, right-hand side %d x %d, start %d x %d, in a workspace of %d x %d",
			a.W.N, b.Rows, b.Cols, x.Rows, x.Cols, c.n, c.d))
	}
	res := Result{Bytes: c.Bytes()}
	c.a, c.x = a, x
	copy(c.r.Data, b.Data)
	rz, norm, norm0 := c.rz, c.norm, c.norm0
	c.run(c.startTask) // r = b - a x, sums: r'z, r'r
	copy(rz, c.sums[:c.d])
	copy(norm0, c.sums[c.d:])
	copy(norm, norm0)
	clear(c.beta)
	c.first = true
	limit := c.s.Tolerance * c.s.Tolerance
	for {
		res.Residual, res.Converged = 0, true
		active := 0
		for k := range norm {
			if norm0[k] > 0 {
				res.Residual = max(res.Residual, math.Sqrt(norm[k]/norm0[k]))
			}
			if norm[k] > limit*norm0[k] {
				active++
			} else if !(norm[k] <= limit*norm0[k]) {
				return res, ErrIndefinite // NaN
			}
		}
		res.Converged = active == 0
		if active == 0 || res.Iterations >= c.s.MaxIterations {
			return res, nil
		}
		if err := ctx.Err(); err != nil {
			return res, err
		}
		res.Iterations++
		c.run(c.turnTask) // p = z + beta p
		c.first = false
		c.run(c.applyTask) // q = a p, sums: p'q
		for k := range c.alpha {
			c.alpha[k] = 0 // a column that has converged rests
			if norm[k] > limit*norm0[k] {
				if !(c.sums[k] > 0) {
					return res, ErrIndefinite
				}
				c.alpha[k] = rz[k] / c.sums[k]
			}
		}
		c.run(c.stepTask) // x += alpha p, r -= alpha q, sums: r'z, r'r
		for k := range c.beta {
			c.beta[k] = 0
			if c.alpha[k] != 0 {
				c.beta[k] = c.sums[k] / rz[k]
			}
			rz[k], norm[k] = c.sums[k], c.sums[c.d+k]
		}
	}
}

// run runs one task a piece and adds up the pieces' sums in order.
func (c *CG) run(task func(int)) {
	par.Do(c.s.Threads, par.Pieces(c.n, piece), task)
	clear(c.sums)
	for p := 0; p < len(c.part); p += 2 * c.d {
		for k, v := range c.part[p : p+2*c.d] {
			c.sums[k] += v
		}
	}
}

// span returns the rows of a piece and its sums, set to zero.
func (c *CG) span(t int) (from, to int, sums []float64) {
	sums = c.part[t*2*c.d : (t+1)*2*c.d]
	clear(sums)
	return t * piece, min(c.n, (t+1)*piece), sums
}

// row is the part of row i of a matrix with the columns of the system.
func (c *CG) row(m vec.Matrix[float64], i int) []float64 {
	return m.Data[i*c.d : (i+1)*c.d : (i+1)*c.d]
}

func (c *CG) start(t int) {
	from, to, sums := c.span(t)
	c.a.MulRows(c.q, c.x, from, to)
	zs, rs := sums[:c.d], sums[c.d:2*c.d]
	for i := from; i < to; i++ {
		inv := 0.0
		if g := c.a.Diagonal[i]; g > 0 {
			inv = 1 / g
		}
		c.inverse[i] = inv
		r, q := c.row(c.r, i), c.row(c.q, i)
		for k := range r {
			v := r[k] - q[k]
			r[k] = v
			zs[k] += v * v * inv
			rs[k] += v * v
		}
	}
}

// turn sets p = z + beta p with z = r / diagonal.
func (c *CG) turn(t int) {
	from, to, _ := c.span(t)
	for i := from; i < to; i++ {
		inv, r, p := c.inverse[i], c.row(c.r, i), c.row(c.p, i)
		if c.first {
			for k, v := range r {
				p[k] = v * inv
			}
			continue
		}
		for k, v := range r {
			p[k] = v*inv + c.beta[k]*p[k]
		}
	}
}

func (c *CG) apply(t int) {
	from, to, sums := c.span(t)
	c.a.MulRows(c.q, c.p, from, to)
	for i := from; i < to; i++ {
		q := c.row(c.q, i)
		for k, v := range c.row(c.p, i) {
			sums[k] += v * q[k]
		}
	}
}

func (c *CG) step(t int) {
	from, to, sums := c.span(t)
	zs, rs := sums[:c.d], sums[c.d:2*c.d]
	for i := from; i < to; i++ {
		inv, x, r := c.inverse[i], c.row(c.x, i), c.row(c.r, i)
		p, q := c.row(c.p, i), c.row(c.q, i)
		for k, a := range c.alpha {
			x[k] += a * p[k]
			v := r[k] - a*q[k]
			r[k] = v
			zs[k] += v * v * inv
			rs[k] += v * v
		}
	}
}
