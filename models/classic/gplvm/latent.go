package gplvm

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/gonum"

	"unfold/internal/vec"
	"unfold/models/classic/kernel"
	"unfold/models/optimize"
)

// Scratch is the scratch memory of predictions for one goroutine.
type Scratch struct {
	k, near, weight, mean, variance, dtheta []float64
	solved                                  [][]float64 // per group, from reduction
	room                                    *kernel.Room
}

// NewScratch returns scratch memory for predictions of a.
func (a *Active) NewScratch() *Scratch {
	points := make([]float64, (3+len(a.groups))*a.x.Rows)
	part := func(c int) []float64 { return points[c*a.x.Rows:][:a.x.Rows] }
	w := &Scratch{
		k: part(0), near: part(1), weight: part(2),
		mean: make([]float64, a.s.y.Cols), variance: make([]float64, a.s.y.Cols),
		dtheta: make([]float64, a.s.kernel.Len()), room: kernel.NewRoom(a.points),
	}
	for c := range a.groups {
		w.solved = append(w.solved, part(3+c))
	}
	return w
}

// Predict writes the means and the variances of the D outputs' f at a place x (eq 12). Means are
// without bias. Variances include white noise, but not the noise model's own.
func (a *Active) Predict(mean, variance, x []float64, w *Scratch) {
	a.s.kernel.CrossRow(w.k, a.theta, x, a.points, w.room)
	self := a.s.kernel.Self(a.theta, x)
	clear(mean)
	for c := range a.groups {
		g := &a.groups[c]
		v := self - g.reduction(w.solved[c], w)
		for _, j := range g.outputs {
			variance[j] = v
		}
		for p, r := range g.rows {
			k := w.k[r]
			for o, alpha := range g.alpha.Row(p) {
				mean[g.outputs[o]] += k * alpha
			}
		}
	}
}

// reduction returns k'(K + noise)^-1 k. It leaves (K + noise)^-1 k in solved.
func (g *group) reduction(solved []float64, w *Scratch) (sum float64) {
	near := w.near[:len(g.rows)]
	for p, r := range g.rows {
		near[p] = w.k[r]
	}
	for p, k := range near {
		dot := gonum.Implementation{}.Ddot(len(near), g.inverse.Row(p), 1, near, 1)
		solved[p] = dot
		sum += dot * k
	}
	return sum
}

// LogZ returns the sum of ln Z of the values of a vector y (NaN where missing) at a place x. If dx
// is not nil, it adds the gradient by x to dx.
func (a *Active) LogZ(dx, y, x []float64, w *Scratch) (sum float64) {
	a.Predict(w.mean, w.variance, x, w)
	clear(w.weight)
	self := 0.0
	for c := range a.groups {
		g := &a.groups[c]
		logZ, inVariance := a.values(y, g, w)
		sum += logZ
		self += inVariance
		if dx == nil {
			continue
		}
		for p, r := range g.rows {
			dot := 0.0
			for o, alpha := range g.alpha.Row(p) {
				dot += w.mean[g.outputs[o]] * alpha
			}
			w.weight[r] += dot - 2*inVariance*w.solved[c][p]
		}
	}
	if dx != nil {
		clear(w.dtheta)
		a.s.kernel.GradientRow(w.dtheta, dx, w.weight, a.theta, x, a.points, w.room)
		a.s.kernel.GradientSelf(w.dtheta, dx, self, a.theta, x)
	}
	return sum
}

// values returns the sum of ln Z of a group's outputs and its derivative by their variance. It
// replaces the means by the derivatives by them.
func (a *Active) values(y []float64, g *group, w *Scratch) (sum, inVariance float64) {
	for _, j := range g.outputs {
		if math.IsNaN(y[j]) {
			w.mean[j] = 0
			continue
		}
		logZ, slope, nu := a.s.noise.LogZ(y[j], a.s.bias[j], w.mean[j], w.variance[j])
		sum += logZ
		inVariance += 0.5 * (slope*slope - nu)
		w.mean[j] = slope
	}
	return sum, inVariance
}

// sums are the parts of ln Z of a vector y without missing values that do not depend on the place,
// which enters through its covariances k with the active points. With r = y - bias,
//
//	sum_d (y_d - mean_d)^2 = r.r - 2 (alpha r).k + k' alpha alpha' k.
type sums struct {
	rr float64
	ar []float64 // alpha r
}

func (a *Active) sums(y []float64) *sums {
	g := &a.groups[0]
	r := make([]float64, len(y))
	for j, v := range y {
		r[j] = v - a.s.bias[j]
	}
	s := &sums{vec.SquaredNorm(r), make([]float64, len(g.rows))}
	for p := range g.rows {
		s.ar[p] = gonum.Implementation{}.Ddot(len(r), g.alpha.Row(p), 1, r, 1)
	}
	return s
}

// logZ is LogZ for the vector of s.
func (a *Active) logZ(dx []float64, s *sums, x []float64, w *Scratch) float64 {
	a.s.kernel.CrossRow(w.k, a.theta, x, a.points, w.room)
	g, d, own := &a.groups[0], float64(a.s.y.Cols), a.s.noise.(Gaussian).Variance
	v := a.s.kernel.Self(a.theta, x) - g.reduction(w.solved[0], w) + own
	near, square := w.near[:len(g.rows)], s.rr
	for p, k := range near {
		dot := gonum.Implementation{}.Ddot(len(near), g.square.Row(p), 1, near, 1)
		square += k * (dot - 2*s.ar[p])
		w.weight[p] = (s.ar[p] - dot) / v
	}
	if dx != nil {
		inVariance := 0.5 * (square/v - d) / v
		for p, r := range w.solved[0][:len(near)] {
			w.weight[p] -= 2 * inVariance * r
		}
		clear(w.dtheta)
		a.s.kernel.GradientRow(w.dtheta, dx, w.weight, a.theta, x, a.points, w.room)
		a.s.kernel.GradientSelf(w.dtheta, dx, inVariance, a.theta, x)
	}
	return -0.5 * (d*math.Log(2*math.Pi*v) + square/v)
}

// place returns the function whose minimum is the place of a vector: minus ln Z with the prior.
func (a *Active) place(y []float64, w *Scratch) optimize.Function {
	logZ := func(grad, x []float64) float64 { return a.LogZ(grad, y, x, w) }
	if a.wide() && !slices.ContainsFunc(y, math.IsNaN) && len(a.groups[0].rows) == a.x.Rows {
		s := a.sums(y)
		logZ = func(grad, x []float64) float64 { return a.logZ(grad, s, x, w) }
	}
	return func(x, grad []float64) (float64, error) {
		if grad != nil {
			clear(grad)
		}
		f := 0.5*vec.SquaredNorm(x) - logZ(grad, x)
		for i, g := range grad {
			grad[i] = x[i] - g
		}
		return f, nil
	}
}

// Locate moves x from its present value to the most likely place of a vector y (NaN where missing).
// It returns ln Z with the prior, without the prior's constant.
func (a *Active) Locate(ctx context.Context, y, x []float64, w *Scratch, s optimize.Settings) (float64, error) {
	r, err := optimize.Minimize(ctx, a.place(y, w), x, s)
	return -r.F, err
}

// Bias returns the bias that is added to the means of the outputs' f.
func (a *Active) Bias() []float64 { return a.s.bias }

// Theta returns the parameters of the kernel.
func (a *Active) Theta() []float64 { return a.theta }
