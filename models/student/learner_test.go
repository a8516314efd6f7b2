package student

import (
	"context"
	"math"
	"slices"
	"testing"

	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/prior"
)

// TestLearnerIsThatOfFit: NewLearner builds the same model from a point set as Fit.
func TestLearnerIsThatOfFit(t *testing.T) {
	for _, dims := range []int{2, 5} {
		x := modeltest.Blobs(2500, 5, 3)
		r, err := Fit(context.Background(), x, Settings{Common: models.Common{Dims: dims, Steps: 8, Lists: 60}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		h, err := NewLearner(x, r.Neighbors, Settings{Common: models.Common{Dims: dims, Steps: 8, Lists: 60}}, 0)
		if err != nil {
			t.Fatal(err)
		}
		st := &State{Mu: r.Mu, Sigma2: r.Sigma2}
		if got := h.Model.LogLikelihood(st); dims == 2 && math.Abs(got-r.Report.Loglik) > 1e-9*math.Abs(got) {
			t.Errorf("d = %d: L is %v, the fit says %v", dims, got, r.Report.Loglik)
		}
		s := h.Describe(st)
		if want := r.Student; s.Tail != want.Tail || s.Unit != want.Unit || s.Clip != want.Clip || s.Weight != want.Weight ||
			s.Field != want.Field || s.Theta != want.Theta || s.Seed != want.Seed || !slices.Equal(s.Error2, want.Error2) {
			t.Errorf("d = %d: %+v, the fit says %+v", dims, s, want)
		}
		if h.Settings.Steps != r.Settings.Steps || h.Settings.Weight != r.Settings.Weight {
			t.Errorf("d = %d: %+v, the fit has %+v", dims, h.Settings, r.Settings)
		}
	}
}

// TestBeginIsThatOfFit: a model that starts at the result of Begin learns the map of Fit, with its
// prior. Only the order of sums differs.
func TestBeginIsThatOfFit(t *testing.T) {
	x := modeltest.Blobs(600, 5, 3)
	set := Settings{Common: models.Common{Dims: 2, Lists: 60, Steps: 30}}
	r, err := Fit(t.Context(), x, set, nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := NewLearner(x, r.Neighbors, set, 0)
	if err != nil {
		t.Fatal(err)
	}
	st, err := h.Begin(t.Context(), prior.Points{X: x, Neighbors: r.Neighbors})
	if err != nil {
		t.Fatal(err)
	}
	got, err := h.Model.Learn(t.Context(), st, nil)
	if err != nil {
		t.Fatal(err)
	}
	if l := r.Report.Loglik; math.Abs(got.Loglik-l) > 1e-3*math.Abs(l) || math.Abs(got.LogPrior-r.Report.LogPrior) > 1e-2*math.Abs(r.Report.LogPrior) || r.Report.LogPrior == 0 {
		t.Errorf("likelihood %v and prior %v, those of the fit are %v and %v", got.Loglik, got.LogPrior, l, r.Report.LogPrior)
	}
	over, stop := context.WithCancel(t.Context())
	stop()
	if _, err := h.Begin(over, prior.Points{X: x, Neighbors: r.Neighbors}); err == nil {
		t.Error("it begins although its context has ended")
	}
}
