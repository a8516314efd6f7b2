package harness

import (
	"fmt"
	"math"
)

// Bound is the target of a figure.
type Bound struct {
	Value float64 // NaN if the figure was not measured
	// Above is true for a lower bound. A Strict bound is not met by equality.
	Above, Strict bool
	// Format formats figure and bound; Unit is appended.
	Format, Unit string
}

// The verdicts on a figure.
const (
	Met         = "met"
	Missed      = "**missed**"
	NotMeasured = "not measured"
	ToyData     = "toy data" // measured for show, no verdict
	Busy        = "busy"     // a time, measured while other processes used more than Quiet
)

// Verdict compares a figure with the bound after rounding both as they are printed.
func (b Bound) Verdict(figure float64) string {
	value, bound := Shown(b.Format, figure), Shown(b.Format, b.Value)
	ok := value < bound
	if b.Above {
		ok = value > bound
	}
	if ok || value == bound && !b.Strict {
		return Met
	}
	return Missed
}

// String returns the bound as a page shows it.
func (b Bound) String() string {
	sign := "<"
	if b.Above {
		sign = ">"
	}
	if !b.Strict {
		sign += "="
	}
	if math.IsNaN(b.Value) {
		return sign + " (not measured)"
	}
	return sign + " " + b.Show(b.Value)
}

// Show returns a figure as a page shows it.
func (b Bound) Show(figure float64) string { return fmt.Sprintf(b.Format, figure) + b.Unit }
