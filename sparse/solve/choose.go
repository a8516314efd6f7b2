package solve

import "time"

const (
	// patience is the number of iterations with the diagonal after which Auto
	// makes a factor: about what making one costs, and what it takes to be
	// worth while.
	patience = 80
	// easy is the number of iterations with a factor up to which Auto tries the
	// diagonal again in the next system.
	easy = 8
	// renewal is what a factor costs in iterations: it is made anew once those
	// that it took too many, because it was made for another system, add up to
	// as many.
	renewal = 30
)

// chooser chooses the preconditioner of every round of a solve, and keeps a
// factor for as long as it serves a sequence of systems.
type chooser struct {
	factor *Factor
	fresh  int // iterations of the first whole solve with it, 0 before
	extra  int // iterations beyond fresh, in all solves since
	worn   bool
	hard   bool // the last system was too much for the diagonal
}

func (h *chooser) bytes() int64 {
	if h.factor == nil {
		return 0
	}
	return h.factor.Bytes()
}

// choose returns the factor for the next round, nil for the diagonal, the number
// of iterations it may run to, and the time it took to make.
func (h *chooser) choose(c *CG) (*Factor, int, time.Duration) {
	switch {
	case c.s.Preconditioner == Jacobi:
		return nil, c.s.MaxIterations, 0
	case c.s.Preconditioner == Auto && !h.hard && !c.restarted:
		return nil, min(patience, c.s.MaxIterations), 0
	}
	if h.factor != nil && !h.worn {
		return h.factor, c.s.MaxIterations, 0
	}
	clock := time.Now()
	h.factor = newFactor(c.a, c.d, c.s.Seed, c.team)
	h.fresh, h.extra, h.worn = 0, 0, false
	return h.factor, c.s.MaxIterations, time.Since(clock)
}

// learn draws conclusions for the next system.
func (h *chooser) learn(c *CG) {
	if c.factor == nil {
		return // the diagonal was enough
	}
	steps := c.res.Iterations - c.res.Jacobi
	switch {
	case c.err != nil:
		h.worn = true
	case h.fresh > 0:
		h.extra += max(0, steps-h.fresh)
		h.worn = h.extra > renewal
	case c.res.Converged && c.res.Jacobi == 0: // a whole solve
		h.fresh = steps
	}
	h.hard = steps > easy || !c.res.Converged
}
