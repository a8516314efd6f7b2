package solve

import (
	"math"
	"time"
)

const (
	// patience is the number of iterations with the diagonal after which Auto
	// makes a factor: about what making and using one costs.
	patience = 250
	// easy is the number of iterations with a factor up to which Auto tries the
	// diagonal again in the next system.
	easy = 8
	// renewal is what a factor costs in iterations with it: it is made again once
	// those that it took too many, because it was made for another system, are as
	// many, be it in one solve or several.
	renewal = 30
)

// chooser chooses the preconditioner of every round of a solve, and keeps a
// factor for as long as it serves a sequence of systems.
type chooser struct {
	factor *Factor
	hard   bool // the last system was too much for the diagonal
	fresh  int  // iterations of a solve with the factor when it was new
	extra  int  // iterations beyond that, in all solves since
	worn   bool

	// Of the present round: whether the factor is new, and where it began.
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

// choose returns the factor for the next round, nil for the diagonal, the number
// of iterations it may run to, and the time it took to make.
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
		// Of a whole solve, from 1 down to the tolerance, the round did a part.
		done := math.Log(c.s.Tolerance) / math.Log(min(0.5, c.s.Tolerance/h.residual))
		h.fresh = max(1, int(math.Ceil(float64(steps)*max(1, done))))
	case h.fresh > 0:
		h.extra += max(0, steps-h.fresh)
		h.worn = h.extra > renewal
	}
	h.hard = max(steps, h.fresh) > easy || !c.res.Converged
}
