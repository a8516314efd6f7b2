package gplvm

import (
	"context"
	"fmt"
	"sync"

	"unfold/internal/par"
	"unfold/models/optimize"
)

// SparseSettings are the settings of learning a sparse model; the zero value works.
type SparseSettings struct {
	// Active is the size d of the active set; 0 means 100, or all rows if there are fewer.
	Active int
	// Rounds is the number of rounds of Algorithm 1; 0 means 15.
	Rounds int
	// KernelSteps and PointSteps are the iterations of scaled conjugate gradients per round, for
	// the kernel and for each inactive point; 0 means 20.
	KernelSteps, PointSteps int
	// MoveActive moves the places of the active set together with the kernel.
	MoveActive bool
	// Tolerance ends these iterations early, 0 means 1e-4.
	Tolerance float64
	// Observe, if not nil, is called after every round. Learning ends if it returns false.
	Observe func(round int, kernelObjective float64) bool
}

func (s SparseSettings) withDefaults(n int) SparseSettings {
	for _, v := range []struct {
		at   *int
		when int
	}{{&s.Active, defaultActive}, {&s.Rounds, 15}, {&s.KernelSteps, 20}, {&s.PointSteps, 20}} {
		if *v.at == 0 {
			*v.at = v.when
		}
	}
	s.Active = min(s.Active, n)
	if s.Tolerance == 0 {
		s.Tolerance = 1e-4
	}
	return s
}

// Learn moves p with Algorithm 1: select an active set, fit the kernel to it, select again, and
// move every inactive place independently and concurrently. It returns the last active set.
func (s *Sparse) Learn(ctx context.Context, p *Point, set SparseSettings) (*Selection, error) {
	set = set.withDefaults(p.X.Rows)
	course := optimize.Settings{StepTolerance: set.Tolerance, ValueTolerance: set.Tolerance}
	for round := range set.Rounds {
		value, err := s.fitKernel(ctx, p, set, course)
		if err == nil {
			err = s.movePoints(ctx, p, set, course)
		}
		if err != nil {
			return nil, fmt.Errorf("round %d: %w", round+1, err)
		}
		if set.Observe != nil && !set.Observe(round+1, value) {
			break
		}
	}
	return s.Select(p.Theta, p.X, set.Active), nil
}

// fitKernel selects an active set and fits the kernel's parameters, and its places if MoveActive is
// set. It returns the objective.
func (s *Sparse) fitKernel(ctx context.Context, p *Point, set SparseSettings, course optimize.Settings) (float64, error) {
	selection := s.Select(p.Theta, p.X, set.Active)
	a, err := selection.Active(p.Theta, p.X)
	if err != nil {
		return 0, err
	}
	v := a.free(set.MoveActive)
	course.Steps = set.KernelSteps
	f := a.objective(set.MoveActive)
	r, err := optimize.Minimize(ctx, f, v, course)
	if err != nil {
		return 0, err
	}
	if _, err := f(v, nil); err != nil { // sets theta and the places of a from v
		return 0, err
	}
	for c, i := range selection.Order {
		copy(p.X.Row(int(i)), a.x.Row(c))
	}
	return -r.F, nil
}

// movePoints moves the inactive places.
func (s *Sparse) movePoints(ctx context.Context, p *Point, set SparseSettings, course optimize.Settings) error {
	selection := s.Select(p.Theta, p.X, set.Active)
	a, err := selection.Active(p.Theta, p.X)
	if err != nil {
		return err
	}
	course.Steps = set.PointSteps
	var mu sync.Mutex
	var failed error
	par.Ranges(s.threads, p.X.Rows, 16, func(_, from, to int) {
		w := a.NewScratch()
		for i := from; i < to; i++ {
			if selection.active[i] {
				continue
			}
			if _, err := optimize.Minimize(ctx, a.place(s.y.Row(i), w), p.X.Row(i), course); err != nil {
				mu.Lock()
				failed = fmt.Errorf("row %d: %w", i, err)
				mu.Unlock()
				return
			}
		}
	})
	return failed
}
