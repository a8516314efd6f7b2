package solve

import (
	"math"
	"time"
)

const (
	// patience is the number of iterations with the diagonal after which Auto makes a factor, which
	// costs about as much.
	patience = 250
	// easy is the number of iterations with a factor up to which Auto tries the diagonal again for
	// the next system.
	easy = 8
	// renewal is the cost of a factor in iterations. A stale factor is replaced when the extra
	// iterations that it caused, in one or several solves, reach this number.
	renewal = 30
)

// chooser chooses the preconditioner of every round of a solve, and keeps a factor while it serves
// a sequence of systems.
type chooser struct {
	factor *Factor
	hard   bool // the last system was too much for the diagonal
	fresh  int  // iterations of a solve with the factor when it was new
	extra  int  // iterations beyond that, in all solves since
	worn   bool

	// These describe the current round: whether the factor is new, and the first iteration.
	made     bool
	from     int
	residual float64
}

func (h *chooser) bytes() int64 {
	if h.factor == nil {
		return 0
	}
	return h.factor.Bytes()
}

// choose returns the factor for the next round (nil for the diagonal), the maximum number of
// iterations, and the time to make the factor.
func (h *chooser) choose(c *CG) (*Factor, int, time.Duration) {
	most := c.s.MaxIterations
	h.made, h.from, h.residual = false, c.res.Iterations, 1
	if c.restarted {
		h.residual = c.res.Residual
		h.worn = h.worn || c.factor != nil // it was not good enough
	}
	switch {
	case c.s.Preconditioner == Jacobi:
		return nil, most, 0
	case c.s.Preconditioner == Auto && !h.hard && (!c.restarted || c.gaveUp):
		return nil, min(patience, most), 0
	case h.factor != nil && !h.worn:
		if h.fresh > 0 {
			most = min(most, h.from+h.fresh+renewal-h.extra)
		}
		return h.factor, most, 0
	}
	clock := time.Now()
	c.double()
	h.factor = newFactor(c.a, c.d, c.s.Seed, c.team)
	h.made, h.worn, h.fresh, h.extra = true, false, 0, 0
	return h.factor, most, time.Since(clock)
}

// learn draws conclusions for the next system.
func (h *chooser) learn(c *CG) {
	if c.factor == nil {
		return // the diagonal was enough
	}
	steps := c.res.Iterations - h.from
	switch {
	case c.err != nil:
		h.worn = true
	case h.made && c.res.Converged:
		// The round did a part of a whole solve, measured by the logarithm of the residual.
		done := math.Log(c.s.Tolerance) / math.Log(min(0.5, c.s.Tolerance/h.residual))
		h.fresh = max(1, int(math.Ceil(float64(steps)*max(1, done))))
	case h.fresh > 0:
		h.extra += max(0, steps-h.fresh)
		h.worn = h.extra > renewal
	}
	h.hard = max(steps, h.fresh) > easy || !c.res.Converged
}
