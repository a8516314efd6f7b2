package saul

import (
	"math"

	"unfold/internal/vec"
)

// rise accumulates the increase of a likelihood by the trapezoidal rule. A step v of the
// parameters, with gradient g before it and g' after it, gains
//
//	(g + g')'v / 2,
//
// which is exact for a quadratic likelihood. Steps compute the gradients anyway. For mu, the second
// half is added by the next step. For sigma^2, whose steps are small, g'v is accurate enough.
//
// The estimate is right to some per cent after the first ten steps (TestRise). Steps with heavy
// tails oscillate too much for it; package student evaluates the likelihood instead.
type rise float64

// half adds g'v/2.
func (r *rise) half(g, v []float64) { *r += rise(vec.Dot(g, v) / 2) }

// plateauSteps is the number of steps over which plateau compares the gain. It exceeds the period
// of momentum's oscillation.
const plateauSteps = 10

// plateau detects when a likelihood has almost stopped rising.
type plateau struct {
	gain float64
	was  [plateauSteps]float64 // rises at the last steps
	seen int
}

// newPlateau returns a plateau for a gain per step relative to |L|. A gain that is not positive
// disables it.
func newPlateau(gain float64) *plateau { return &plateau{gain: gain} }

// reached is called after each step with the rise of the likelihood from any origin and an estimate
// of L. It reports whether the last 10 steps together have raised L by less than 10 gain |L|.
func (p *plateau) reached(rise, loglik float64) bool {
	if !(p.gain > 0) {
		return false
	}
	at := p.seen % plateauSteps
	before := p.was[at]
	p.was[at] = rise
	p.seen++
	return p.seen > plateauSteps && math.Abs(rise-before) < plateauSteps*p.gain*math.Abs(loglik)
}
