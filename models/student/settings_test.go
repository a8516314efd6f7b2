package student

import (
	"context"
	"testing"

	"unfold/models"
	"unfold/models/modeltest"
)

// TestThetaOfCells: cells are finer if the settings ask for it, and always for few points.
func TestThetaOfCells(t *testing.T) {
	for _, d := range []int{1, 2, 3, 10} {
		s := Settings{Common: models.Common{Dims: d}}
		plain := s.theta(fewPoints)
		s.Thorough = true
		if fine := s.theta(fewPoints); !(fine < plain) || fine != s.theta(100) {
			t.Errorf("d = %d: theta %v, by default %v", d, fine, plain)
		}
	}
}

// TestGainOfFit: a fit ends when the likelihood hardly rises any more, and reports it.
func TestGainOfFit(t *testing.T) {
	x := modeltest.Blobs(300, 4, 5)
	for _, c := range []struct {
		s         Settings
		converged bool
	}{
		{Settings{Options: Options{Gain: -1}}, false},
		{Settings{Options: Options{Gain: 0.5}}, true},
		{Settings{Common: models.Common{Dims: 3}, Options: Options{Gain: 0.5}}, true},
	} {
		r, err := Fit(context.Background(), x, c.s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if rep := r.Report; rep.Converged != c.converged || rep.Converged != (rep.Iterations < r.Settings.Steps) || rep.Iterations <= 10 {
			t.Errorf("%+v: %+v", c.s, rep)
		}
	}
	for _, c := range []struct {
		s    Settings
		want float64
	}{{Settings{}, 0}, {Settings{Options: Options{Gain: 1e-3}}, 1e-3}} {
		if s, err := c.s.WithDefaults(); err != nil || s.Gain != c.want {
			t.Errorf("%+v: gain %v, %v, want %v", c.s, s.Gain, err, c.want)
		}
	}
}
