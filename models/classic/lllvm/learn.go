package lllvm

import (
	"context"
	"fmt"
	"math"
)

// Step is the result of one iteration: the bound after each of the four updates, and the amount
// that was added to a diagonal.
type Step struct {
	X, C, Gamma, Alpha Bound
	Jitter             float64
}

// Step runs one iteration of variational EM, which updates q(x), q(C), gamma and alpha in turn. No
// update lowers the bound, except the one that sets alpha to a fixed value.
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

// Course has the stopping rules of Learn; the zero value works.
type Course struct {
	// Steps is the maximum number of iterations; 0 means 200.
	Steps int
	// Tolerance stops learning once an iteration raises the bound by less than this share of its
	// magnitude. 0 means 1e-6; a negative value disables it.
	Tolerance float64
	// Progress, if not nil, is called with the bound after every iteration.
	Progress func(done, total int, bound float64)
}

// History is the record of one call of Learn.
type History struct {
	Bounds    []float64 // after every iteration
	Converged bool
	// Jitters counts the iterations in which a matrix was not positive definite. Jitter is the
	// largest amount added to a diagonal in them.
	Jitters int
	Jitter  float64
}

// Learn iterates on st. The error of a failed iteration includes its number; st must not be used
// after an error.
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
		// The first two bounds are skipped, because alpha jumps to its fixed value between them.
		if t >= 2 && h.Bounds[t]-h.Bounds[t-1] < c.Tolerance*math.Abs(h.Bounds[t]) {
			h.Converged = true
			break
		}
	}
	return h, nil
}
