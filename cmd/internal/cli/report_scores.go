package cli

import (
	"context"
	"math"

	"unfold/models/score"
)

// mapScores are how good a map is, as --report has it. Of many rows they come from a sample,
// which the seed chooses, and have standard errors, unless --report-exact is given.
type mapScores struct {
	// Accuracies, only when labels are given, of LabelledRows rows.
	LOO1         *float64 `json:"loo1,omitempty"`
	LOO9         *float64 `json:"loo9,omitempty"`
	LabelledRows int      `json:"labelled_rows,omitempty"`
	// Trustworthiness and continuity are those of RankedRows rows among all.
	Trustworthiness *float64 `json:"trustworthiness,omitempty"`
	Continuity      *float64 `json:"continuity,omitempty"`
	RankedRows      int      `json:"ranked_rows,omitempty"`
	// Errors are the standard errors of the figures above that a sample estimates.
	Errors *scoreErrors `json:"standard_errors,omitempty"`
}

// scoreErrors are standard errors.
type scoreErrors struct {
	LOO1            *float64 `json:"loo1,omitempty"`
	LOO9            *float64 `json:"loo9,omitempty"`
	Trustworthiness *float64 `json:"trustworthiness,omitempty"`
	Continuity      *float64 `json:"continuity,omitempty"`
}

// A report ranks all rows for each of at most mostRanked of them, of many rows for fewer:
// rankedPairs distances in all, and at least leastRanked. It classifies at most
// mostClassified.
const (
	mostRanked     = 1000
	leastRanked    = 100
	rankedPairs    = 20_000_000
	mostClassified = 20_000
)

// ranked is how many of n rows are ranked.
func (f *fitRun) ranked(n int) int {
	if f.Exact {
		return -1
	}
	return min(max(rankedPairs/n, leastRanked), mostRanked)
}

// classified is how many rows are classified at most.
func (f *fitRun) classified() int {
	if f.Exact {
		return -1
	}
	return mostClassified
}

// scores compares the map with labels and input.
func (f *fitRun) scores(ctx context.Context) (mapScores, error) {
	var out mapScores
	var deviations scoreErrors
	s := score.Settings{Distance: f.snap.Distance, Seed: f.model.Seed, Threads: f.model.Threads}
	defer f.p.progress.End()
	if class, names := score.Classes(f.data.Label); len(names) > 0 {
		f.p.progress.Stage("accuracy", "", 0)
		var ks []int
		for _, k := range []int{1, 9} {
			if k < len(f.data.Label) {
				ks = append(ks, k)
			}
		}
		s.Sample = f.classified()
		a, err := score.LeaveOneOut(ctx, f.result.Placed.Mu, class, ks, s)
		if err != nil {
			return out, err
		}
		out.LabelledRows = a.Points
		for i, to := range []**float64{&out.LOO1, &out.LOO9}[:len(a.Share)] {
			*to = &a.Share[i]
		}
		if !a.Exact {
			for i, to := range []**float64{&deviations.LOO1, &deviations.LOO9}[:len(a.Share)] {
				*to = shareError(a.Share[i], a.Points)
			}
			out.Errors = &deviations
		}
	}
	if s.K = min(12, (f.data.X.Rows-1)/2); s.K >= 1 {
		f.p.progress.Stage("structure", "", 0)
		s.Sample = f.ranked(f.data.X.Rows)
		s.Recall = []int{s.K} // the report has no others
		st, err := score.Nearest(ctx, f.data.X, f.result.Placed.Mu, s)
		if err != nil {
			return out, err
		}
		out.Trustworthiness, out.Continuity, out.RankedRows = &st.Trustworthiness, &st.Continuity, st.Sample
		if !st.Exact {
			deviations.Trustworthiness, deviations.Continuity = &st.Error.Trustworthiness, &st.Error.Continuity
			out.Errors = &deviations
		}
	}
	return out, nil
}

// shareError is the standard error of a share of so many rows that were drawn.
func shareError(share float64, rows int) *float64 {
	e := math.Sqrt(share * (1 - share) / float64(rows))
	return &e
}
