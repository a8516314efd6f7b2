package solve

import "time"

const (
	// patience is the number of iterations with the diagonal after which Auto
	// makes a hierarchy: about what making one costs, and what it takes to be
	// worth while.
	patience = 80
	// easy is the number of iterations with a hierarchy up to which Auto tries the
	// diagonal again in the next system.
	easy = 15
	// stale and slack: a hierarchy made for an earlier system is made anew once a
	// solve takes more than stale times the iterations of the first, and
	// slack.
	stale, slack = 1.25, 3
)

// chooser chooses the preconditioner of every round of a solve, and keeps a
// hierarchy for as long as it serves a sequence of systems.
type chooser struct {
	hierarchy *Hierarchy
	fresh     int // iterations of the first whole solve with it, 0 before
	worn      bool
	hard      bool // the last system was too much for the diagonal
}

func (h *chooser) bytes() int64 {
	if h.hierarchy == nil {
		return 0
	}
	return h.hierarchy.Bytes()
}

// choose returns the hierarchy for the next round, nil for the diagonal, the number
// of iterations it may run to, and the time it took to make.
func (h *chooser) choose(c *CG) (*Hierarchy, int, time.Duration) {
	switch {
	case c.s.Preconditioner == Jacobi:
		return nil, c.s.MaxIterations, 0
	case c.s.Preconditioner == Auto && !h.hard && !c.restarted:
		return nil, min(patience, c.s.MaxIterations), 0
	}
	if h.hierarchy != nil && !h.worn {
		return h.hierarchy, c.s.MaxIterations, 0
	}
	clock := time.Now()
	h.hierarchy = newHierarchy(c.a, c.d, c.team)
	h.fresh, h.worn = 0, false
	return h.hierarchy, c.s.MaxIterations, time.Since(clock)
}

// learn draws conclusions for the next system.
func (h *chooser) learn(c *CG) {
	if c.multi == nil {
		return // the diagonal was enough
	}
	multi := c.res.Iterations - c.res.Jacobi
	switch {
	case c.err != nil:
		h.worn = true
	case h.fresh > 0:
		h.worn = float64(multi) > stale*float64(h.fresh)+slack
	case c.res.Converged && c.res.Jacobi == 0: // a whole solve
		h.fresh = multi
	}
	h.hard = multi > easy || !c.res.Converged
}
