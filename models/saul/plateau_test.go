package saul

import (
	"context"
	"math"
	"testing"

	"unfold/coarse/landmark"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

func TestPlateau(t *testing.T) {
	p := newPlateau(1e-3)
	rise := 7.
	for step := range 40 {
		// Geometric: the last 10 steps gain (2^10 - 1)/2^step.
		rise += math.Pow(2, -float64(step))
		want := step >= plateauSteps && (1<<plateauSteps-1)*math.Pow(2, -float64(step)) < 1e-3*plateauSteps*50
		if got := p.reached(rise, -50); got != want {
			t.Errorf("step %d: %v, want %v", step, got, want)
		}
	}
	// A large fall, a value that is not finite and a gain of 0 never count as a plateau.
	for _, c := range []struct {
		gain, each float64
		want       bool
	}{{1e-3, -1, false}, {1e-3, math.NaN(), false}, {1e-3, -1e-4, true}, {0, 0, false}, {-1, 0, false}} {
		p, last := newPlateau(c.gain), false
		for step := range 15 {
			last = p.reached(float64(step)*c.each, -1)
		}
		if last != c.want {
			t.Errorf("gain %v, steps of %v: %v", c.gain, c.each, last)
		}
	}
}

// The rise that is summed from gradients agrees with the increase of the likelihood.
func TestRise(t *testing.T) {
	ctx := context.Background()
	x := modeltest.Blobs(1500, 6, 4)
	nb, err := knn.Graph(ctx, x, 9, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Build(ctx, x, nb, graph.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := landmark.New(ctx, x, g, landmark.Settings{Level: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, beta := range []float64{0, 0.9} {
		st, err := Start(ctx, c, 2, StartSettings{})
		if err != nil {
			t.Fatal(err)
		}
		m := NewModel(c, 2, ModelSettings{})
		was, from := 0., 0.
		for step := range 60 {
			if step%plateauSteps == 0 {
				loglik := m.LogLikelihood(st)
				gain, got := loglik-was, m.Rise()-from
				if step > plateauSteps && math.Abs(got-gain) > 0.15*gain {
					t.Errorf("momentum %v, to step %d: %v by gradients, %v by the likelihood", beta, step, got, gain)
				}
				was, from = loglik, m.Rise()
			}
			if _, err := m.Step(ctx, st, beta); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Learning stops early once the likelihood has almost stopped rising, and the report records it.
func TestGain(t *testing.T) {
	x := modeltest.Blobs(300, 4, 5)
	for _, c := range []struct {
		s         Settings
		converged bool
	}{
		{Settings{Common: models.Common{Steps: 400}}, false},
		{Settings{Options: Options{Gain: -1}}, false},
		{Settings{Common: models.Common{Steps: 400}, Options: Options{Gain: 1e-3}}, true},
		{Settings{Options: Options{Gain: 1e-3}}, true},
	} {
		r, err := Fit(context.Background(), x, c.s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if rep := r.Report; rep.Converged != c.converged || rep.Converged != (rep.Iterations < r.Settings.Steps) || rep.Iterations <= plateauSteps {
			t.Errorf("%+v: %+v", c.s, rep)
		}
	}
	for _, c := range []struct {
		s    Settings
		want float64
	}{{Settings{}, DefaultGain}, {Settings{Common: models.Common{Steps: 400}}, 0}, {Settings{Options: Options{Gain: -1}}, -1}} {
		if s, err := c.s.WithDefaults(); err != nil || s.Gain != c.want {
			t.Errorf("%+v: gain %v, %v, want %v", c.s, s.Gain, err, c.want)
		}
	}
}
