package student

import (
	"math"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/prior"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// TestSampleOf: the sample is a tenth of very many points, unless the settings give a frame or
// neighbours.
func TestSampleOf(t *testing.T) {
	for name, c := range map[string]struct {
		n    int
		s    Settings
		want int
	}{
		"few":         {99_999, Settings{}, 0},
		"many":        {100_000, Settings{}, 10_000},
		"very many":   {10_000_000, Settings{}, 1_000_000},
		"in space":    {100_000, Settings{Common: models.Common{Dims: 3}}, 10_000},
		"beyond":      {100_000, Settings{Common: models.Common{Dims: 4}}, 0},
		"components":  {100_000, Settings{Options: Options{Prior: prior.Settings{Frame: prior.PCA}}}, 0},
		"neighbours":  {100_000, Settings{Common: models.Common{Given: &knn.Given{}}}, 0},
		"a graph":     {100_000, Settings{Common: models.Common{Paths: &graph.Paths{}}}, 0},
		"other cells": {100_000, Settings{Options: Options{Coarse: models.CoarseShared}}, 0},
	} {
		s, err := c.s.WithDefaults()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := s.SampleOf(c.n); got != c.want {
			t.Errorf("%s: a sample of %d, want %d", name, got, c.want)
		}
	}
	if got := (Settings{Common: models.Common{Dims: 2}}).steps(100_000); got != 60 {
		t.Errorf("%d steps after a sample, want three quarters of 80", got)
	}
}

// TestLearnSample: the map of the sample frames its own points only. All points start closer
// together than on that map, and results do not depend on threads.
func TestLearnSample(t *testing.T) {
	const n, m = 3000, 300
	x := modeltest.Blobs(n, 4, 3)
	nb, err := knn.Graph(t.Context(), x, 8, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	var frames [2]vec.Matrix[float64]
	for threads := range frames {
		s, err := Settings{Common: models.Common{Dims: 2, Threads: threads + 1, Steps: 20}}.WithDefaults()
		if err != nil {
			t.Fatal(err)
		}
		steps := 0
		frame, start, err := s.learnSample(t.Context(), prior.Points{X: x, Neighbors: nb}, m, func(done, total int) {
			if done == total {
				steps = total
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := prior.New(frame).Known(); got != m {
			t.Fatalf("%d points have a frame, want %d", got, m)
		}
		if steps != 20 {
			t.Errorf("progress ends after %d steps, want 20", steps)
		}
		var on, at float64
		for i := range n {
			if row := frame.Row(i); vec.Finite(row) {
				on += vec.SquaredNorm(row)
				at += vec.SquaredNorm(start.Row(i))
			}
		}
		if ratio := math.Sqrt(at / on); !vec.Finite(start.Data) || math.Abs(ratio-sampleSpread) > 0.05*sampleSpread {
			t.Errorf("the sample starts with %.3f of its spread, want %v", ratio, sampleSpread)
		}
		frames[threads] = start
	}
	if !slices.Equal(frames[0].Data, frames[1].Data) {
		t.Error("one thread and two start from different places")
	}
}

// TestFitOfASample: a fit of very many points starts from a sample, and reports it in its settings
// and steps.
func TestFitOfASample(t *testing.T) {
	x := modeltest.Blobs(samplePoints, 3, 5)
	parts := 0
	r, err := Fit(t.Context(), x, Settings{Common: models.Common{Steps: 2}}, func(stage string, _, total int) {
		if stage == "sample" {
			parts = max(parts, total)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if parts != 2 || r.Report.Iterations != 2 || r.Settings.Prior.Frame != prior.Auto {
		t.Errorf("%d steps of a sample, then %d, frame %v: want 2, 2 and auto", parts, r.Report.Iterations, r.Settings.Prior.Frame)
	}
	if r.Report.LogPrior == 0 || !vec.Finite(r.Mu.Data) {
		t.Errorf("log prior %v of finite places %v", r.Report.LogPrior, vec.Finite(r.Mu.Data))
	}
}

// TestStratified: the sample has one point of each part, in ascending order.
func TestStratified(t *testing.T) {
	rows := stratified(1003, 100, 7)
	for at, i := range rows {
		if int(i) < at*1003/100 || int(i) >= (at+1)*1003/100 {
			t.Fatalf("%d stands for part %d of 100 of 1003", i, at)
		}
	}
	if slices.Equal(rows, stratified(1003, 100, 8)) {
		t.Error("another seed draws the same")
	}
}
