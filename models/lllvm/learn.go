package lllvm

import (
	"context"
	"fmt"
	"math"
)

// Step holds the bounds after the four updates of an iteration, and what had to
// be added to a diagonal.
type Step struct {
	X, C, Gamma, Alpha Bound
	Jitter             float64
}

// Step does one iteration of variational EM: q(x), q(C), gamma, alpha. The bound
// does not fall in any of them, but where alpha jumps to a fixed value.
func (m *Model) Step(st *State) (s Step, err error) {
	jx, err := m.UpdateX(st)
	if err != nil {
		return s, err
	}
	s.X = st.Bound
	jc, err := m.UpdateC(st)
	if err != nil {
		return s, err
	}
	s.C, s.Jitter = st.Bound, math.Max(jx, jc)
	if err := m.UpdateGamma(st); err != nil {
		return s, err
	}
	s.Gamma = st.Bound
	if err := m.UpdateAlpha(st); err != nil {
		return s, err
	}
	s.Alpha = st.Bound
	return s, nil
}

// Course says how long Learn goes on; the zero value works.
type Course struct {
	// Steps is the most iterations, 0 means 200.
	Steps int
	// Tolerance ends them once an iteration raises the bound by less than this
	// share of its magnitude; 0 means 1e-6, negative never.
	Tolerance float64
	// Progress, if not nil, hears the bound after every iteration.
	Progress func(done, total int, bound float64)
}

// History is what happened in a course of learning.
type History struct {
	Bounds    []float64 // after every iteration
	Converged bool
	// Jitters counts iterations in which a matrix had lost definiteness, of
	// which Jitter is the most that was added to its diagonal.
	Jitters int
	Jitter  float64
}

// Learn iterates on st. If an iteration fails the error names it; st is then
// not to be used.
func (m *Model) Learn(ctx context.Context, st *State, c Course) (*History, error) {
	if c.Steps == 0 {
		c.Steps = 200
	}
	if c.Tolerance == 0 {
		c.Tolerance = 1e-6
	}
	h := &History{}
	for t := range c.Steps {
		if err := ctx.Err(); err != nil {
			return h, err
		}
		s, err := m.Step(st)
		if err != nil {
			return h, fmt.Errorf("iteration %d: %w", t+1, err)
		}
		if s.Jitter > 0 {
			h.Jitters++
			h.Jitter = math.Max(h.Jitter, s.Jitter)
		}
		h.Bounds = append(h.Bounds, s.Alpha.Total())
		if c.Progress != nil {
			c.Progress(t+1, c.Steps, s.Alpha.Total())
		}
		// The first two hold the jump of alpha.
		if t >= 2 && h.Bounds[t]-h.Bounds[t-1] < c.Tolerance*math.Abs(h.Bounds[t]) {
			h.Converged = true
			break
		}
	}
	return h, nil
}
