package student

import (
	"context"
	"fmt"
	"math"

	"unfold/sparse/vec"
)

// Refinement says how Refine goes on from a map. The zero value takes no step.
type Refinement struct {
	// Steps is their number.
	Steps int
	// Momentum is beta of SM 43, in [0, 1), from zero in the first step.
	Momentum float64
	// Anchor is lambda of H13, at least 0.
	Anchor float64
	// Ramp and Ratio are an annealing: in the first Ramp steps the weight of
	// dissimilar pairs rises from a Ratio-th part (more than 1) to what Settings
	// say. No Ramp leaves it there.
	Ramp  int
	Ratio float64
}

// check refuses what does not make sense.
func (r Refinement) check() error {
	switch {
	case r.Steps < 0 || r.Ramp < 0:
		return fmt.Errorf("student: refinement by %d steps, %d of them a ramp: want no negative numbers", r.Steps, r.Ramp)
	case !(r.Momentum >= 0 && r.Momentum < 1):
		return fmt.Errorf("student: refinement with momentum %v, want 0 <= momentum < 1", r.Momentum)
	case !(r.Anchor >= 0) || math.IsInf(r.Anchor, 0):
		return fmt.Errorf("student: refinement with an anchor of %v, want a number of at least 0", r.Anchor)
	case r.Ramp > 0 && !(r.Ratio >= 1 && r.Ratio <= 1e6):
		return fmt.Errorf("student: refinement with the weight from a %v-th part on, want 1 to 1e6", r.Ratio)
	}
	return nil
}

// weightAt returns the weight of a dissimilar pair in step t, 0-based, where the
// final one is c: c / Ratio^max(0, 1 - (t+1)/Ramp).
func (r Refinement) weightAt(t int, c float64) float64 {
	if t+1 >= r.Ramp {
		return c
	}
	return c * math.Pow(r.Ratio, float64(t+1)/float64(r.Ramp)-1)
}

// Refine improves a map that has been learnt and whose problem has changed a
// little since, such that points stay near where they were. To the likelihood
// it adds, of the places mu^0 where it begins,
//
//	-lambda/2 sum_i |mu_i - mu^0_i|^2,                                   (H13)
//
// so that H5 becomes
//
//	(Lap(W) + Gamma + lambda) (mu_new - mu) = dL/dmu - lambda (mu - mu^0).
//
// Where a map belongs stays the same from one call to the next, as the anchor
// moves along: only what pulls weakly, the slow modes of the map, is held back.
//
// Of the report, LoglikInitial is not computed and Loglik is extrapolated from
// some thousands of points. If ctx ends, st is what it was after the last whole
// step. ErrNotFinite is returned if the map stops being finite.
func (m *Model) Refine(ctx context.Context, st *State, r Refinement) (Report, error) {
	m.check(st)
	var out Report
	if err := r.check(); err != nil {
		return out, err
	}
	steps := r.Steps
	if m.n < 2 {
		steps = 0
	}
	defer func() { m.c = m.s.Weight }()
	m.Reset()
	from, last := st.Mu.Clone(), m.newMean(steps)
	for t := range steps {
		m.c = r.weightAt(t, m.s.Weight)
		n, err := m.anchored(ctx, st, from, r)
		out.CGIterations += n
		if err != nil {
			return out, fmt.Errorf("student: step %d of %d: %w", t+1, steps, err)
		}
		out.Iterations++
		last.add(t, st)
	}
	last.take(st)
	m.c = m.s.Weight
	out.Loglik = m.sampled(st)
	out.Pairs, out.Damping = m.p.Field.Pairs(), m.s.Damping
	if !finite(st.Mu.Data) || !finite(st.Sigma2) || !finite([]float64{out.Loglik}) {
		return out, fmt.Errorf("student: after %d steps: %w", steps, ErrNotFinite)
	}
	return out, nil
}

// anchored is Step with the pull of H13, and returns the iterations of the solver.
func (m *Model) anchored(ctx context.Context, st *State, from vec.Matrix[float64], r Refinement) (int, error) {
	m.move(st)
	m.assemble(st)
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
	case err != nil && !(finite(m.grad.Data) && finite(m.system.Diagonal)):
		return res.Iterations, ErrNotFinite
	case err != nil:
		return res.Iterations, fmt.Errorf("mu step: %w", err)
	}
	for k, v := range m.step.Data {
		m.velocity.Data[k] = v + r.Momentum*m.velocity.Data[k]
		st.Mu.Data[k] += m.velocity.Data[k]
	}
	m.StepSigma(st)
	return res.Iterations, nil
}

// sampled is L of H3 where st stands, extrapolated from evenly chosen points.
func (m *Model) sampled(st *State) float64 {
	m.move(st)
	stride := max(1, m.n/watched)
	similar, dissimilar := m.logLikelihoods(st, stride)
	return (similar + dissimilar) * float64(m.n) / float64((m.n+stride-1)/stride)
}
