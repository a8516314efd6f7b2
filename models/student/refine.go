package student

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/vec"
	"unfold/models"
)

// Refinement are the settings of Refine. The zero value takes no step.
type Refinement struct {
	// Steps is the number of steps.
	Steps int
	// Momentum is beta of SM 43, in [0, 1). The first step has none.
	Momentum float64
	// Anchor is lambda of H13; at least 0.
	Anchor float64
	// Ramp, Ratio and Reach define an annealing. In the first Ramp steps, the weight of dissimilar
	// pairs rises geometrically from 1/Ratio of its final value to that of ModelSettings, and F of
	// H14 falls from Reach to 1. Ratio and Reach are at least 1; 0 means 1.
	Ramp         int
	Ratio, Reach float64
}

// most bounds Ratio and Reach.
const most = 1e6

// check returns an error if a value is invalid.
func (r Refinement) check() error {
	switch {
	case r.Steps < 0 || r.Ramp < 0:
		return fmt.Errorf("student: refinement by %d steps, %d of them a ramp: want no negative numbers", r.Steps, r.Ramp)
	case !(r.Momentum >= 0 && r.Momentum < 1):
		return fmt.Errorf("student: refinement with momentum %v, want 0 <= momentum < 1", r.Momentum)
	case !(r.Anchor >= 0) || math.IsInf(r.Anchor, 0):
		return fmt.Errorf("student: refinement with an anchor of %v, want a number of at least 0", r.Anchor)
	case r.Ratio != 0 && !(r.Ratio >= 1 && r.Ratio <= most):
		return fmt.Errorf("student: refinement with the weight from a %v-th part on, want 1 to %g", r.Ratio, float64(most))
	case r.Reach != 0 && !(r.Reach >= 1 && r.Reach <= most):
		return fmt.Errorf("student: refinement with a reach of %v, want 1 to %g", r.Reach, float64(most))
	}
	return nil
}

// at returns the factor by^max(0, 1 - (t+1)/Ramp) of step t, counted from 0. It falls to 1 at the
// end of the ramp.
func (r Refinement) at(t int, by float64) float64 {
	if t+1 >= r.Ramp || by == 0 {
		return 1
	}
	return math.Pow(by, 1-float64(t+1)/float64(r.Ramp))
}

// Refine improves a learnt map whose problem has changed a little since. It keeps points near their
// places by adding an anchor to the likelihood, where mu^0 are the places at the start of the call:
//
//	-lambda/2 sum_i |mu_i - mu^0_i|^2,                                   (H13)
//
// so that H5 becomes
//
//	(Lap(W) + Gamma + lambda) (mu_new - mu) = dL/dmu - lambda (mu - mu^0).
//
// The anchor moves along from call to call, so it does not change the optimum of the likelihood. It
// only slows down the modes with little force.
//
// With heavy tails, long edges pull weakly. A new edge to a neighbour across the map would
// therefore have hardly any effect. With Reach it has one for a while: in every step
//
//	W_ij = F (S_ij + S_ji) / (F delta_ij^2 + sigma_i^2 + sigma_j^2 + r^2/(2a))    (H14)
//
// takes the place of H6. The larger F is, the more an edge acts like a spring of any length. Edges
// that are already short keep their force. As F falls to 1, edges that do not fit weaken again
// (graduated non-convexity; Blake and Zisserman 1987). A lower weight of dissimilar pairs (Ratio),
// as in learning, would contract the whole map instead.
//
// In the report, LoglikInitial is missing and Loglik is extrapolated from some thousands of points.
// If ctx ends, st is the state after the last whole step. Refine returns models.ErrNotFinite if the
// map stops being finite.
func (m *Model) Refine(ctx context.Context, st *State, r Refinement) (Report, error) {
	var out Report
	if err := r.check(); err != nil {
		return out, err
	}
	steps := r.Steps
	if m.n < 2 {
		steps = 0
	}
	defer m.weigh(m.last())
	m.Reset()
	from, far, last := st.Mu.Clone(), m.p.stretchable(r.Reach > 1 && r.Ramp > 0), m.newMean(steps)
	for t := range steps {
		m.c = m.s.Weight / r.at(t, r.Ratio)
		m.similar.p = m.p.stretch(far, r.at(t, r.Reach))
		n, err := m.anchored(ctx, st, from, r)
		out.CGIterations += n
		if err != nil {
			return out, fmt.Errorf("student: step %d of %d: %w", t+1, steps, err)
		}
		out.Iterations++
		last.add(t, st)
	}
	last.take(st)
	m.weigh(m.last())
	out.Loglik = m.sampled(st)
	out.Pairs, out.Damping = m.p.Field.Pairs(), m.s.Damping
	if !vec.Finite(st.Mu.Data) || !vec.Finite(st.Sigma2) || !vec.Finite([]float64{out.Loglik}) {
		return out, fmt.Errorf("student: after %d steps: %w", steps, models.ErrNotFinite)
	}
	return out, nil
}

// anchored is Step with the pull of H13. It returns the solver's iterations.
func (m *Model) anchored(ctx context.Context, st *State, from vec.Matrix[float64], r Refinement) (int, error) {
	m.move(st)
	m.assemble(st)
	m.similar.p = m.p
	for i := range m.system.Diagonal {
		m.system.Diagonal[i] += r.Anchor
	}
	for k, v := range st.Mu.Data {
		m.grad.Data[k] -= r.Anchor * (v - from.Data[k])
	}
	clear(m.step.Data)
	res, err := m.cg.Solve(ctx, m.system, m.grad, m.step)
	switch {
	case ctx.Err() != nil:
		return res.Iterations, ctx.Err()
	case err != nil && !(vec.Finite(m.grad.Data) && vec.Finite(m.system.Diagonal)):
		return res.Iterations, models.ErrNotFinite
	case err != nil:
		return res.Iterations, fmt.Errorf("mu step: %w", err)
	}
	m.follow(st, r.Momentum)
	m.StepSigma(st)
	return res.Iterations, nil
}

// stretchable returns a copy of the problem with its own memory for weights and length scales, or
// nil if it is not wanted.
func (p *Problem) stretchable(wanted bool) *Problem {
	if !wanted {
		return nil
	}
	far := *p
	far.weights.now, far.delta2 = make([]float64, len(p.weights.now)), newPairLengths(p.delta2.single != nil, p.delta2.entries())
	return &far
}

// stretch writes the problem with S_ij and delta_ij^2 multiplied by f to far and returns far. It
// returns p if far is nil or f is 1.
func (p *Problem) stretch(far *Problem, f float64) *Problem {
	if far == nil || f == 1 {
		return p
	}
	for k, v := range p.weights.now {
		far.weights.now[k] = f * v
	}
	for q := range p.delta2.entries() {
		far.delta2.set(q, f*p.delta2.at(q))
	}
	return far
}

// reported is the approximate number of points from which Refine estimates L for its report. The
// error of L per point is then some hundredths.
const reported = 2048

// sampled returns L of H3 at st, extrapolated from evenly chosen points.
func (m *Model) sampled(st *State) float64 {
	m.move(st)
	stride := max(1, m.n/reported)
	similar, dissimilar := m.logLikelihoods(st, stride)
	return (similar + dissimilar) * float64(m.n) / float64((m.n+stride-1)/stride)
}
