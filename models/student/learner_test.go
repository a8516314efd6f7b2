package student

import (
	"context"
	"math"
	"slices"
	"testing"

	"unfold/models"
	"unfold/models/modeltest"
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
