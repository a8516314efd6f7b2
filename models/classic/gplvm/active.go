package gplvm

import (
	"fmt"
	"math"

	gonum "gonum.org/v1/gonum/blas"

	"unfold/internal/simd/gemm"
	"unfold/internal/simd/spd"
	"unfold/internal/vec"
	"unfold/models/classic/kernel"
)

// Active is the process given sites N(m_d | f_d, 1/beta_d) at active places. Predictions and the
// likelihood of the kernel use it (eq 11, 12, restricted to the rows of the active set).
type Active struct {
	s      *Sparse
	theta  []float64
	x      vec.Matrix[float64] // d x q
	points *kernel.Points      // x
	groups []group
}

// group is a set of outputs whose sites have the same precisions.
type group struct {
	rows    []int32             // rows of the active set that have a site
	outputs []int32             // columns of Y
	noise   []float64           // 1/beta of each row
	m       vec.Matrix[float64] // rows x outputs
	inverse vec.Matrix[float64] // (K + diag noise)^-1
	alpha   vec.Matrix[float64] // the inverse times m
	logDet  float64
	square  vec.Matrix[float64] // alpha alpha', if wide
}

// wide reports whether vectors without missing values are placed with precomputed sums over the
// outputs. That is faster if there are more outputs than active points.
func (a *Active) wide() bool {
	_, ok := a.s.noise.(Gaussian)
	return ok && len(a.groups) == 1 && len(a.groups[0].outputs) == a.s.y.Cols && a.s.y.Cols > len(a.groups[0].rows)
}

// Active returns the process given the sites of a selection. x are the places of all rows.
func (q *Selection) Active(theta []float64, x vec.Matrix[float64]) (*Active, error) {
	return q.s.given(theta, x, q.Order, Sites{vec.Take(q.M, q.Order), vec.Take(q.Beta, q.Order)})
}

// given returns the process given the sites of some rows.
func (s *Sparse) given(theta []float64, x vec.Matrix[float64], rows []int32, at Sites) (*Active, error) {
	a := &Active{s: s, theta: theta, x: vec.Take(x, rows)}
	for c := range s.columns {
		g := group{}
		for r := range rows {
			if beta := at.Beta.Row(r)[c]; beta > 0 {
				g.rows, g.noise = append(g.rows, int32(r)), append(g.noise, 1/beta)
			}
		}
		for j := c; j < s.y.Cols; j += s.columns {
			g.outputs = append(g.outputs, int32(j))
		}
		g.m = vec.New[float64](len(g.rows), len(g.outputs))
		for p, r := range g.rows {
			for o, j := range g.outputs {
				g.m.Row(p)[o] = at.M.Row(int(r))[j]
			}
		}
		a.groups = append(a.groups, g)
	}
	return a, a.update()
}

// update computes the fields that depend on theta and x.
func (a *Active) update() error {
	n := a.x.Rows
	if a.points == nil {
		a.points = kernel.NewPoints(a.x)
	} else {
		a.points.Update()
	}
	k := vec.New[float64](n, n)
	a.s.kernel.Matrix(k, a.theta, a.x, a.s.threads)
	for c := range a.groups {
		g := &a.groups[c]
		n := len(g.rows)
		g.inverse = vec.New[float64](n, n)
		for p, r := range g.rows {
			for o, t := range g.rows {
				g.inverse.Row(p)[o] = k.Row(int(r))[t]
			}
			g.inverse.Row(p)[p] += g.noise[p]
		}
		if _, err := spd.FactorJitter(g.inverse, a.s.threads); err != nil {
			return fmt.Errorf("the kernel matrix of %d active points: %w", n, err)
		}
		g.logDet = spd.LogDet(g.inverse)
		spd.Invert(g.inverse, a.s.threads)
		g.alpha = vec.New[float64](n, len(g.outputs))
		b := gemm.Implementation{Threads: a.s.threads}
		b.Dgemm(gonum.NoTrans, gonum.NoTrans, n, len(g.outputs), n, 1, g.inverse.Data, max(n, 1), g.m.Data, len(g.outputs), 0, g.alpha.Data, len(g.outputs))
		if a.wide() {
			g.square = vec.New[float64](n, n)
			b.Dgemm(gonum.NoTrans, gonum.Trans, n, n, len(g.outputs), 1, g.alpha.Data, len(g.outputs), g.alpha.Data, len(g.outputs), 0, g.square.Data, max(n, 1))
		}
	}
	return nil
}

// LogLik returns sum_d log N(m_d | 0, K + diag(1/beta_d)). If w is d x d, it adds the derivative by
// K to w.
func (a *Active) LogLik(w vec.Matrix[float64]) (sum float64) {
	for c := range a.groups {
		g := &a.groups[c]
		n, d := float64(len(g.rows)), float64(len(g.outputs))
		sum -= 0.5 * (d*(n*math.Log(2*math.Pi)+g.logDet) + vec.Dot(g.m.Data, g.alpha.Data))
		if w.Rows == 0 {
			continue
		}
		for p, r := range g.rows {
			for o, t := range g.rows {
				w.Row(int(r))[t] += 0.5 * (vec.Dot(g.alpha.Row(p), g.alpha.Row(o)) - d*g.inverse.Row(p)[o])
			}
		}
	}
	return sum
}

// free returns the vector of the kernel's free parameters and, if places is true, of X.
func (a *Active) free(places bool) []float64 {
	v := make([]float64, len(a.theta))
	kernel.Free(v, a.theta)
	if places {
		v = append(v, a.x.Data...)
	}
	return v
}

// objective returns minus LogLik as a function of v, including the prior of the places if they are
// in v.
func (a *Active) objective(places bool) func(v, grad []float64) (float64, error) {
	n := a.x.Rows
	w, dx := vec.New[float64](n, n), vec.New[float64](n, a.x.Cols)
	return func(v, grad []float64) (float64, error) {
		kernel.Positive(a.theta, v[:len(a.theta)])
		prior := 0.0
		if places {
			copy(a.x.Data, v[len(a.theta):])
			prior = 0.5 * vec.SquaredNorm(a.x.Data)
		}
		if err := a.update(); err != nil {
			return math.Inf(1), nil
		}
		if grad == nil {
			return prior - a.LogLik(vec.Matrix[float64]{}), nil
		}
		clear(w.Data)
		clear(grad)
		clear(dx.Data)
		f := prior - a.LogLik(w)
		a.s.kernel.Gradient(grad[:len(a.theta)], dx, w, a.theta, a.x, a.s.threads)
		kernel.ToFree(grad[:len(a.theta)], a.theta)
		for i := range a.theta {
			grad[i] = -grad[i]
		}
		if places {
			for i, d := range dx.Data {
				grad[len(a.theta)+i] = a.x.Data[i] - d
			}
		}
		return f, nil
	}
}
