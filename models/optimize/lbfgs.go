package optimize

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"
)

// LBFGS is Minimize by the limited-memory method of Broyden, Fletcher, Goldfarb and Shanno
// (gonum's), with a line search. It needs one gradient an iteration where the first trial step is
// accepted. Iteration.Success is always true, Scale 0.
func LBFGS(ctx context.Context, f Function, x []float64, s Settings) (Result, error) {
	if s.Steps == 0 {
		s.Steps = 100
	}
	c := &course{ctx: ctx, f: f, settings: s, at: make([]float64, len(x)), grad: make([]float64, len(x)), last: slices.Clone(x), value: math.NaN()}
	if first := c.evaluate(x); c.err == nil && (math.IsInf(first, 0) || math.IsNaN(first)) {
		c.err = fmt.Errorf("scg: the function is %g at the start", first)
	}
	if c.err != nil {
		return c.result, c.err
	}
	c.result.F, c.fell = c.value, c.value
	settings := &optimize.Settings{Recorder: c, GradientThreshold: -1, Converger: optimize.NeverTerminate{}}
	problem := optimize.Problem{Func: c.evaluate, Grad: c.gradient, Status: c.status}
	r, err := optimize.Minimize(problem, x, settings, &optimize.LBFGS{})
	if c.err != nil {
		return c.result, c.err
	}
	if r == nil {
		return c.result, fmt.Errorf("scg: %w", err)
	}
	// A line search without improvement ends the minimisation at the current x.
	copy(x, r.X)
	c.result.F = r.F
	c.result.Converged = c.converged || err != nil
	return c.result, nil
}

// course adapts a Function to gonum and applies the stopping rules of Settings.
type course struct {
	ctx       context.Context
	f         Function
	settings  Settings
	at, grad  []float64 // the point evaluated last, and its gradient
	value     float64
	last      []float64 // the point of the last iteration, and its value
	fell      float64
	result    Result
	converged bool
	stopped   bool
	err       error
}

func (c *course) evaluate(x []float64) float64 {
	if c.err != nil {
		return math.Inf(1)
	}
	if c.result.Gradients > 0 && slices.Equal(x, c.at) {
		return c.value
	}
	c.result.Gradients++
	copy(c.at, x)
	c.value, c.err = c.f(x, c.grad)
	if math.IsNaN(c.value) {
		c.value = math.Inf(1)
	}
	return c.value
}

func (c *course) gradient(grad, x []float64) {
	c.evaluate(x)
	copy(grad, c.grad)
}

func (c *course) status() (optimize.Status, error) {
	if c.err == nil {
		c.err = c.ctx.Err()
	}
	switch {
	case c.err != nil:
		return optimize.Failure, c.err
	case c.converged || c.stopped || c.result.Iterations >= c.settings.Steps:
		return optimize.MethodConverge, nil
	}
	return optimize.NotTerminated, nil
}

// Init implements optimize.Recorder.
func (c *course) Init() error { return nil }

// Record implements optimize.Recorder. It counts iterations and applies the tolerances.
func (c *course) Record(l *optimize.Location, op optimize.Operation, _ *optimize.Stats) error {
	if op != optimize.MajorIteration || c.result.Iterations >= c.settings.Steps || slices.Equal(l.X, c.last) {
		return nil
	}
	c.result.Iterations++
	moved := 0.0
	for i, v := range l.X {
		moved = max(moved, math.Abs(v-c.last[i]))
	}
	fell := math.Abs(c.fell - l.F)
	copy(c.last, l.X)
	c.fell = l.F
	c.converged = moved < c.settings.StepTolerance && fell < c.settings.ValueTolerance
	if c.settings.Observe != nil && !c.settings.Observe(Iteration{Number: c.result.Iterations, F: l.F, X: l.X, Success: true}) {
		c.stopped = true
	}
	return nil
}
