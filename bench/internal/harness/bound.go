package harness

import (
	"fmt"
	"math"
)

// Bound is what a figure has to reach.
type Bound struct {
	Value float64 // NaN if it is a figure that was not measured
	// Above: it is a lower one. Strict ones may not be met by equality.
	Above, Strict bool
	// Format prints figure and bound, Unit follows.
	Format, Unit string
}

// Verdicts on a figure.
const (
	Met         = "met"
	Missed      = "**missed**"
	NotMeasured = "not measured"
	ToyData     = "toy data" // measured for show, no verdict
	Busy        = "busy"     // a time, while others took more of the processors than Quiet
)

// Verdict compares a figure with the bound, as they are printed.
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

// String is the bound as a page shows it.
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

// Show is a figure as a page shows it.
func (b Bound) Show(figure float64) string { return fmt.Sprintf(b.Format, figure) + b.Unit }
