// Package optimize minimises smooth functions by scaled conjugate gradients (M. Moller, "A scaled
// conjugate gradient algorithm for fast supervised learning", Neural Networks 6, 1993). The step
// length follows from a finite difference of the gradient instead of a line search. A trust region
// limits it, whose scale grows where the quadratic model is bad. An iteration evaluates two
// gradients and one value.
//
// Package optimize of gonum lacks this method. Reference fits of the GPLVM use it (see the fixtures
// of package gplvm). LBFGS uses gonum's.
package optimize

import (
	"context"
	"math"

	"unfold/internal/vec"
)

// Function returns F(x) and, if grad is not nil, writes its gradient there. A value of +Inf means
// that x is out of bounds; the step is then shortened.
type Function func(x, grad []float64) (float64, error)

// Settings are the settings of a minimisation; the zero value works.
type Settings struct {
	// Steps is the maximum number of iterations, successful or not; 0 means 100.
	Steps int
	// StepTolerance and ValueTolerance end the minimisation after a successful iteration in which
	// no element of x moved by more than the first and F fell by less than the second. 0 disables
	// them.
	StepTolerance, ValueTolerance float64
	// Observe, if not nil, is called after every iteration. It returns false to stop.
	Observe func(Iteration) bool
}

// Iteration describes one iteration.
type Iteration struct {
	Number  int
	F       float64 // at X
	X       []float64
	Success bool
	Scale   float64 // used in the iteration
}

// Result describes a finished minimisation.
type Result struct {
	F          float64
	Iterations int
	Gradients  int
	// Converged reports that a tolerance or a zero gradient ended the minimisation.
	Converged bool
}

const (
	sigma0   = 1e-4
	scaleMin = 1e-15
	scaleMax = 1e100
)

// minimiser is the state of one minimisation.
type minimiser struct {
	f                    Function
	x, d, g, next, other []float64
	value, scale         float64
	// These describe the direction d after a successful step: mu = d.g, kappa = d.d, and theta is
	// the curvature.
	mu, kappa, theta float64
	success          bool
	successes        int
	result           Result
}

// Minimize lowers f from x, in place.
func Minimize(ctx context.Context, f Function, x []float64, s Settings) (Result, error) {
	if s.Steps == 0 {
		s.Steps = 100
	}
	m := &minimiser{f: f, x: x, scale: 1, success: true,
		d: make([]float64, len(x)), g: make([]float64, len(x)), next: make([]float64, len(x)), other: make([]float64, len(x))}
	var err error
	if m.value, err = m.evaluate(x, m.g); err != nil {
		return m.result, err
	}
	m.descend()
	for t := 1; t <= s.Steps; t++ {
		if err := ctx.Err(); err != nil {
			return m.result, err
		}
		if vec.SquaredNorm(m.d) == 0 {
			m.result.Converged = true
			break
		}
		scale := m.scale
		stepped, fell, err := m.iterate(&scale)
		if err != nil {
			return m.result, err
		}
		m.result.Iterations, m.result.F = t, m.value
		if s.Observe != nil && !s.Observe(Iteration{t, m.value, x, m.success, scale}) {
			break
		}
		if m.success && stepped < s.StepTolerance && fell < s.ValueTolerance {
			m.result.Converged = true
			break
		}
	}
	m.result.F = m.value
	return m.result, nil
}

func (m *minimiser) evaluate(x, grad []float64) (float64, error) {
	if grad != nil {
		m.result.Gradients++
	}
	return m.f(x, grad)
}

// descend starts again with the steepest descent.
func (m *minimiser) descend() {
	for i, v := range m.g {
		m.d[i] = -v
	}
	m.successes = 0
}

// iterate runs one step. It returns the largest change of an element of x and the decrease of F.
func (m *minimiser) iterate(scale *float64) (stepped, fell float64, err error) {
	if m.success {
		if err := m.curvature(); err != nil {
			return 0, 0, err
		}
	}
	delta := m.theta + m.scale*m.kappa
	if delta <= 0 {
		delta = m.scale * m.kappa
		m.scale -= m.theta / m.kappa
	}
	*scale = m.scale
	step := -m.mu / delta
	for i, v := range m.x {
		m.next[i] = v + step*m.d[i]
		stepped = max(stepped, math.Abs(step*m.d[i]))
	}
	value, err := m.evaluate(m.next, nil)
	if err != nil {
		return 0, 0, err
	}
	ratio := 2 * (value - m.value) / (step * m.mu)
	// NaN is treated as infinity: the step failed.
	m.success = ratio >= 0 && !math.IsInf(value, 0)
	if m.success {
		fell = math.Abs(value - m.value)
		if err := m.move(value); err != nil {
			return 0, 0, err
		}
	}
	switch {
	case ratio > 0.75 && m.success:
		m.scale = max(0.5*m.scale, scaleMin)
	case !(ratio >= 0.25):
		m.scale = min(4*m.scale, scaleMax)
	}
	if m.success {
		m.turn()
	}
	return stepped, fell, nil
}

// curvature estimates d' H d by a difference of gradients.
func (m *minimiser) curvature() error {
	if m.mu = vec.Dot(m.d, m.g); m.mu >= 0 {
		for i, v := range m.g {
			m.d[i] = -v
		}
		m.mu = vec.Dot(m.d, m.g)
	}
	m.kappa = vec.SquaredNorm(m.d)
	sigma := sigma0 / math.Sqrt(m.kappa)
	for i, v := range m.x {
		m.next[i] = v + sigma*m.d[i]
	}
	if _, err := m.evaluate(m.next, m.other); err != nil {
		return err
	}
	sum := 0.0
	for i, v := range m.d {
		sum += v * (m.other[i] - m.g[i])
	}
	m.theta = sum / sigma
	return nil
}

// move sets x to next and evaluates its gradient; other keeps the previous gradient.
func (m *minimiser) move(value float64) error {
	copy(m.x, m.next)
	m.value = value
	m.g, m.other = m.other, m.g
	_, err := m.evaluate(m.x, m.g)
	m.successes++
	return err
}

// turn sets the next direction: conjugate, or steepest descent after as many successes as there are
// parameters.
func (m *minimiser) turn() {
	if m.successes == len(m.x) {
		m.descend()
		return
	}
	sum := 0.0
	for i, v := range m.g {
		sum += (m.other[i] - v) * v
	}
	gamma := sum / m.mu
	for i, v := range m.g {
		m.d[i] = gamma*m.d[i] - v
	}
}
