package gplvm

import (
	"math"

	"gonum.org/v1/gonum/blas/gonum"

	"unfold/models/kernel"
	"unfold/models/scg"
	"unfold/sparse/vec"
)

// Scratch is room for predictions, of one goroutine.
type Scratch struct {
	k, near, solved, weight, mean, variance, dtheta []float64
	room                                            *kernel.Room
}

// NewScratch returns room for predictions of a.
func (a *Active) NewScratch() *Scratch {
	points := make([]float64, 4*a.x.Rows)
	part := func(c int) []float64 { return points[c*a.x.Rows:][:a.x.Rows] }
	return &Scratch{
		k: part(0), near: part(1), solved: part(2), weight: part(3),
		mean: make([]float64, a.s.y.Cols), variance: make([]float64, a.s.y.Cols),
		dtheta: make([]float64, a.s.kernel.Len()), room: kernel.NewRoom(a.points),
	}
}

// Predict writes the means (without bias) and the variances (with white noise,
// without the noise model's own) of the D outputs' f at a place x (eq 12).
func (a *Active) Predict(mean, variance, x []float64, w *Scratch) {
	a.s.kernel.CrossRow(w.k, a.theta, x, a.points, w.room)
	self := a.s.kernel.Self(a.theta, x)
	clear(mean)
	for c := range a.groups {
		g := &a.groups[c]
		v := self - g.reduction(w)
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

// reduction returns k'(K + noise)^-1 k and leaves the product of the last two in
// w.solved.
func (g *group) reduction(w *Scratch) (sum float64) {
	near := w.near[:len(g.rows)]
	for p, r := range g.rows {
		near[p] = w.k[r]
	}
	for p, k := range near {
		dot := gonum.Implementation{}.Ddot(len(near), g.inverse.Row(p), 1, near, 1)
		w.solved[p] = dot
		sum += dot * k
	}
	return sum
}

// LogZ returns, for a vector y (NaN where missing), the sum of ln Z of its values at
// a place x and, if dx is not nil, adds its gradient in x to dx.
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
		// With more than one group w.solved is that of the last.
		if len(a.groups) > 1 {
			g.reduction(w)
		}
		for p, r := range g.rows {
			dot := 0.0
			for o, alpha := range g.alpha.Row(p) {
				dot += w.mean[g.outputs[o]] * alpha
			}
			w.weight[r] += dot - 2*inVariance*w.solved[p]
		}
	}
	if dx != nil {
		clear(w.dtheta)
		a.s.kernel.GradientRow(w.dtheta, dx, w.weight, a.theta, x, a.points, w.room)
		a.s.kernel.GradientSelf(w.dtheta, dx, self, a.theta, x)
	}
	return sum
}

// values returns the sum of ln Z of a group's outputs and its derivative in their
// variance, and puts those in their means in the means' place.
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

// place returns the function whose minimum is the place of a vector: minus ln Z
// with the prior.
func (a *Active) place(y []float64, w *Scratch) scg.Function {
	return func(x, grad []float64) (float64, error) {
		if grad != nil {
			clear(grad)
		}
		f := 0.5*vec.SquaredNorm(x) - a.LogZ(grad, y, x, w)
		for i, g := range grad {
			grad[i] = x[i] - g
		}
		return f, nil
	}
}
