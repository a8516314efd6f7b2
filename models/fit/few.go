package fit

import (
	"fmt"
	"slices"

	"unfold/models/classic/baseline"
)

// fewer adds a warning or a note if points have fewer neighbours than the settings ask for because
// there are too few rows. asked is 0 for the kind's default.
func (r *Result) fewer(asked, taken, distinct int) {
	switch {
	case taken != distinct-1 || asked == taken:
	case asked > taken:
		r.Warnings = append(r.Warnings, fmt.Sprintf("neighbors is %d, and %d are taken: of %d distinct rows each has no more others", asked, taken, distinct))
	case asked == 0:
		r.Notes = append(r.Notes, fmt.Sprintf("there are %d distinct rows: each is a neighbour of all others (neighbors %d)", distinct, taken))
	}
}

// joined adds a warning if a textbook kind's graph of neighbours had several parts, between which
// places follow from few edges.
func (r *Result) joined(learnt *Learnt) {
	if n := learnt.Report.Components; n > 1 && slices.Contains(baseline.Methods(), baseline.Method(learnt.Spec.Kind)) {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the neighbour graph of kind %s has %d parts, joined by their shortest edges, on which the places of whole parts depend: take more neighbors", learnt.Spec.Kind, n))
	}
}

// sampled adds a note if the kind has learnt only a sample.
func (r *Result) sampled(learnt *Learnt) {
	if n := learnt.Sampled; n > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("kind %s learns a sample, %d of %d distinct rows, and places the others by these (points %d): raise points to learn more", learnt.Spec.Kind, n, len(learnt.Unique), n))
	}
}
