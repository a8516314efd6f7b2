// Package optimize minimises smooth functions by scaled conjugate gradients (M. Moller,
// "A scaled conjugate gradient algorithm for fast supervised learning", Neural
// Networks 6, 1993): conjugate gradients whose step follows from a finite
// difference of the gradient instead of a line search, held in a trust region by a
// scale that grows where the quadratic model is bad. An iteration takes two
// gradients and a value.
package optimize

import (
	"context"
	"math"

	"unfold/internal/vec"
)

// Function returns F(x) and, if grad is not nil, writes its gradient there. +Inf
// says that x is out of bounds; the step is then made shorter.
type Function func(x, grad []float64) (float64, error)

// Settings of a minimisation; the zero value works.
type Settings struct {
	// Steps is the most iterations, 0 means 100. Unsuccessful ones count.
	Steps int
	// StepTolerance and ValueTolerance end it after a successful iteration in which
	// no element of x moved as far as the first and F fell by less than the second.
	// 0: never.
	StepTolerance, ValueTolerance float64
	// Observe, if not nil, is called after every iteration; false ends it.
	Observe func(Iteration) bool
}

// Iteration says what happened in one.
type Iteration struct {
	Number  int
	F       float64 // at X
	X       []float64
	Success bool
	Scale   float64 // used in the iteration
}

// Result is what a minimisation has done.
type Result struct {
	F          float64
	Iterations int
	Gradients  int
	// Converged reports that a tolerance, or a gradient of zero, ended it.
	Converged bool
}

const (
	sigma0   = 1e-4
	scaleMin = 1e-15
	scaleMax = 1e100
)

// minimiser holds the vectors of a course.
type minimiser struct {
	f                    Function
	x, d, g, next, other []float64
	value, scale         float64
	// Of the direction d, while the last step succeeded: mu = d.g, kappa = d.d,
	// theta the curvature.
	mu, kappa, theta float64
	success          bool
	successes        int
	result           Result
}

// Minimize moves x to lower values of f.
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

// iterate does one step. It returns the largest move of an element and by how
// much F fell.
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
	// A value that is not a number is as bad as infinity.
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

// curvature measures d' H d by a difference of gradients.
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

// move goes to next; other keeps the gradient that was.
func (m *minimiser) move(value float64) error {
	copy(m.x, m.next)
	m.value = value
	m.g, m.other = m.other, m.g
	_, err := m.evaluate(m.x, m.g)
	m.successes++
	return err
}

// turn sets the next direction: conjugate, or the steepest after as many
// successes as there are parameters.
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
