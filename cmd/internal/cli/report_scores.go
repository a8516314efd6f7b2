package cli

import (
	"context"
	"math"

	"unfold/models/score"
)

// mapScores are the quality figures of a map in --report. For many rows they are estimated from a
// sample, which the seed determines, with standard errors. --report-exact uses all rows.
type mapScores struct {
	// LOO1 and LOO9 are accuracies on LabelledRows rows. They need labels.
	LOO1         *float64 `json:"loo1,omitempty"`
	LOO9         *float64 `json:"loo9,omitempty"`
	LabelledRows int      `json:"labelled_rows,omitempty"`
	// Trustworthiness and Continuity are estimated from RankedRows rows, each ranked among all
	// rows.
	Trustworthiness *float64 `json:"trustworthiness,omitempty"`
	Continuity      *float64 `json:"continuity,omitempty"`
	RankedRows      int      `json:"ranked_rows,omitempty"`
	// Errors are the standard errors of the figures estimated from a sample.
	Errors *scoreErrors `json:"standard_errors,omitempty"`
}

type scoreErrors struct {
	LOO1            *float64 `json:"loo1,omitempty"`
	LOO9            *float64 `json:"loo9,omitempty"`
	Trustworthiness *float64 `json:"trustworthiness,omitempty"`
	Continuity      *float64 `json:"continuity,omitempty"`
}

// A report ranks all rows for each row of a sample. The sample has at most mostRanked rows, fewer
// if rankedPairs distances are exceeded, but at least leastRanked. At most mostClassified rows are
// classified.
const (
	mostRanked     = 1000
	leastRanked    = 100
	rankedPairs    = 20_000_000
	mostClassified = 20_000
)

// ranked returns the sample size for ranking n rows, -1 for all.
func (f *fitRun) ranked(n int) int {
	if f.Exact {
		return -1
	}
	return min(max(rankedPairs/n, leastRanked), mostRanked)
}

// classified returns the most rows to classify, -1 for all.
func (f *fitRun) classified() int {
	if f.Exact {
		return -1
	}
	return mostClassified
}

// scores compares the map with the labels and the input rows.
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
		s.Recall = []int{s.K} // the report has no other numbers of neighbours
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

// shareError returns the standard error of a share estimated from that many sampled rows.
func shareError(share float64, rows int) *float64 {
	e := math.Sqrt(share * (1 - share) / float64(rows))
	return &e
}
