package saul

import (
	"math"

	"unfold/internal/vec"
)

// rise sums up how far a likelihood rises, by the trapezoidal rule: a step v of
// parameters with gradient g before and g' after it gains
//
//	(g + g')'v / 2,
//
// exact where the likelihood is quadratic. The gradients are those that steps
// compute anyway; of mu, the second half becomes known with the next step. For
// sigma^2, whose steps are small beside, g'v is enough.
//
// It is right to some per cent once the first ten steps are over (TestRise). Steps
// with heavy tails swing too far for it; there the likelihood is looked at (package
// student).
type rise float64

// half adds g'v/2.
func (r *rise) half(g, v []float64) { *r += rise(vec.Dot(g, v) / 2) }

// plateauSteps is the number of steps over which plateau looks at the gain: more
// than momentum takes to swing back.
const plateauSteps = 10

// plateau finds out when a likelihood hardly rises any more.
type plateau struct {
	gain float64
	was  [plateauSteps]float64 // rises at the last steps
	seen int
}

// newPlateau returns a plateau for a gain a step relative to |L|. One of a gain
// that is not positive is never reached.
func newPlateau(gain float64) *plateau { return &plateau{gain: gain} }

// reached takes, after a step, the rise of the likelihood from any origin, and L,
// of which an estimate will do. It reports whether the last 10 steps together
// have moved L by less than 10 gain |L|.
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
