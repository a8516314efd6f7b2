package saul

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"testing"

	"unfold/coarse/landmark"
	"unfold/internal/testkit/fixtures"
	"unfold/internal/vec"
	"unfold/models"
)

// learnFixture runs the whole way from the inputs of a fixture to the map after
// some steps, and returns it for the kept points.
func learnFixture(t *testing.T, s *fixtures.Saul, set Settings) (r *Result, mu vec.Matrix[float64], sigma2 []float64) {
	t.Helper()
	set.Tails, set.Dims, set.Neighbors, set.Core, set.Level, set.Components = Gaussian, s.Dims, s.K, s.Core, LevelOf(s.Level), Largest
	r, err := learn(context.Background(), s.X.Matrix, set, func(g landmark.Group) []int32 {
		return s.Chosen(g.Level, g.Landmark, g.Landmarks)
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range s.Keep {
		sigma2 = append(sigma2, r.Sigma2[i])
	}
	return r, vec.Take(r.Mu, s.Keep), sigma2
}

// TestFixturesFit holds the whole way from the inputs to the last map noted:
// neighbours, largest component, graph, constants, eigenvectors, EM.
func TestFixturesFit(t *testing.T) {
	fixtures.EachSaul(t, func(t *testing.T, s *fixtures.Saul) {
		for _, run := range []fixtures.Run{s.EM, s.Momentum} {
			steps := slices.Max(slices.Collect(maps.Keys(run.After)))
			r, mu, sigma2 := learnFixture(t, s, Settings{Steps: steps, Momentum: run.Beta, NoMomentum: run.Beta == 0, Tolerance: 1e-14})
			want := run.After[steps]
			fixtures.CloseTo(t, "initial log-likelihood", r.Report.LoglikInitial, s.Init.LogLik, 1e-9)
			fixtures.CloseTo(t, "log-likelihood", r.Report.Loglik, want.LogLik, 1e-7)
			fixtures.Close(t, "mu", mu.Data, want.Mu.Data, 1e-7)
			fixtures.Close(t, "sigma2", sigma2, want.Sigma2, 1e-7)
			if r.Report.Edges != len(s.E) || r.Report.Landmarks != len(s.Landmarks) || r.Report.Unique != s.NAll {
				t.Errorf("report %+v", r.Report)
			}
			for i, unlearnt := range r.Unlearnt {
				if _, kept := slices.BinarySearch(s.Keep, int32(i)); unlearnt == kept {
					t.Errorf("point %d: unlearnt is %v", i, unlearnt)
				}
			}
			if (r.Unlearnt != nil) != (s.N < s.NAll) {
				t.Errorf("%d of %d points are kept, but unlearnt is %v", s.N, s.NAll, r.Unlearnt)
			}
		}
	})
}

func TestFixturesStart(t *testing.T) {
	fixtures.EachSaul(t, func(t *testing.T, s *fixtures.Saul) {
		_, mu, sigma2 := learnFixture(t, s, Settings{Steps: -1})
		fixtures.Close(t, "mu", mu.Data, s.Init.Mu.Data, 1e-9)
		fixtures.Close(t, "sigma2", sigma2, s.Init.Sigma2, 1e-9)
	})
}

func TestFitErrors(t *testing.T) {
	ctx := context.Background()
	ok := blobs(40, 3, 1)
	for name, c := range map[string]struct {
		x    vec.Matrix[float32]
		s    Settings
		data bool
	}{
		"no rows":             {vec.New[float32](0, 3), Settings{}, true},
		"no columns":          {vec.New[float32](30, 0), Settings{}, true},
		"too few rows":        {ok.Slice(0, 6), Settings{}, true},
		"too few, gaussian":   {ok.Slice(0, 9), Settings{Tails: Gaussian}, true},
		"too few distinct":    {vec.New[float32](100, 3), Settings{}, true},
		"dims":                {ok, Settings{Dims: -1}, false},
		"neighbors":           {ok, Settings{Neighbors: -3}, false},
		"core":                {ok, Settings{Core: -3}, false},
		"momentum":            {ok, Settings{Momentum: 1}, false},
		"momentum not finite": {ok, Settings{Momentum: math.NaN()}, false},
		"tolerance":           {ok, Settings{Tolerance: 2}, false},
		"floor":               {ok, Settings{Floor: -1}, false},
		"unknown component":   {ok, Settings{Components: 7}, false},
		"unknown tails":       {ok, Settings{Tails: 7}, false},
		"unknown coarse":      {ok, Settings{Coarse: 7}, false},
		"unknown scales":      {ok, Settings{Scales: -1}, false},
		"unknown sigma":       {ok, Settings{Sigma: 7}, false},
		"tail":                {ok, Settings{Tail: -1}, false},
		"weight":              {ok, Settings{Weight: math.Inf(1)}, false},
		"sigma2":              {ok, Settings{Sigma2: math.NaN()}, false},
		"theta":               {ok, Settings{Theta: -1}, false},
		"gain":                {ok, Settings{Gain: 1}, false},
		"gain not a number":   {ok, Settings{Gain: math.NaN()}, false},
		"gain of samples":     {ok, Settings{Gain: 1e-3, Dims: 4}, false},
	} {
		_, err := Fit(ctx, c.x, c.s, nil)
		if err == nil {
			t.Errorf("%s: no error", name)
		} else if models.IsBadInput(err) != c.data {
			t.Errorf("%s: %v: bad input is %v", name, err, !c.data)
		}
	}
	for _, tails := range []Tails{Student, Gaussian} {
		fitRefuses(t, tails)
	}
}

func fitRefuses(t *testing.T, tails Tails) {
	ctx := context.Background()
	ok := blobs(40, 3, 1)
	s := Settings{Tails: tails}
	bad := ok.Clone()
	bad.Row(7)[2] = float32(math.NaN())
	var row *models.RowError
	if _, err := Fit(ctx, bad, s, nil); !errors.As(err, &row) || row.Row != 7 || row.Column != 2 {
		t.Errorf("NaN: %v", err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Fit(done, ok, s, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
