package fit

import "fmt"

// fewer says that points have fewer neighbours than were asked for, 0 for as many as the kind takes,
// since there are no more rows.
func (r *Result) fewer(asked, taken, distinct int) {
	switch {
	case taken != distinct-1 || asked == taken:
	case asked > taken:
		r.Warnings = append(r.Warnings, fmt.Sprintf("neighbors is %d, and %d are taken: of %d distinct rows each has no more others", asked, taken, distinct))
	case asked == 0:
		r.Notes = append(r.Notes, fmt.Sprintf("there are %d distinct rows: each is a neighbour of all others (neighbors %d)", distinct, taken))
	}
}

// sampled says that a kind has learnt a sample.
func (r *Result) sampled(learnt *Learnt) {
	if n := learnt.Sampled; n > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("kind %s learns a sample, %d of %d distinct rows, and places the others by these (points %d): raise points to learn more", learnt.Spec.Kind, n, len(learnt.Unique), n))
	}
}
