package lvm

import (
	"context"
	"errors"
	"math"
	"testing"

	"unfold/coarse"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/sparse/vec"
)

func given(s *modeltest.Saul) func(coarse.Group) []int32 {
	return func(g coarse.Group) []int32 {
		switch {
		case g.Level == 1:
			return s.Landmarks
		case g.Landmarks:
			return s.Super
		}
		return s.Sub[g.Landmark]
	}
}

// TestFixturesFit holds the whole way from the inputs to the map after 20 steps:
// neighbours, largest component, graph, constants, eigenvectors, EM.
func TestFixturesFit(t *testing.T) {
	modeltest.EachSaul(t, func(t *testing.T, s *modeltest.Saul) {
		for _, run := range []modeltest.Run{s.EM, s.Momentum} {
			r, err := learn(context.Background(), s.X.Matrix, Settings{
				Dims: s.Dims, Neighbors: s.K, Core: s.Core, Level: LevelOf(s.Level), Steps: 20,
				Momentum: run.Beta, NoMomentum: run.Beta == 0, Tolerance: 1e-14, Components: Largest,
			}, given(s), nil)
			if err != nil {
				t.Fatal(err)
			}
			mu, sigma2 := vec.New[float64](s.N, s.Dims), make([]float64, s.N)
			for q, i := range s.Keep {
				copy(mu.Row(q), r.Mu.Row(int(i)))
				sigma2[q] = r.Sigma2[i]
				if r.Unlearnt != nil && r.Unlearnt[i] {
					t.Errorf("point %d should be learnt", i)
				}
			}
			want := run.After[20]
			modeltest.CloseTo(t, "initial log-likelihood", r.Report.LoglikInitial, s.Init.LogLik, 1e-9)
			modeltest.CloseTo(t, "log-likelihood", r.Report.Loglik, want.LogLik, 1e-7)
			modeltest.Close(t, "mu", mu.Data, want.Mu.Data, 1e-7)
			modeltest.Close(t, "sigma2", sigma2, want.Sigma2, 1e-7)
			if r.Report.Edges != len(s.E) || r.Report.Landmarks != len(s.Landmarks) || r.Report.Unique != s.NAll {
				t.Errorf("report %+v", r.Report)
			}
			unlearnt := 0
			for _, u := range r.Unlearnt {
				if u {
					unlearnt++
				}
			}
			if unlearnt != s.NAll-s.N {
				t.Errorf("%d points are not learnt, want %d", unlearnt, s.NAll-s.N)
			}
		}
	})
}

func TestFixturesStart(t *testing.T) {
	modeltest.EachSaul(t, func(t *testing.T, s *modeltest.Saul) {
		r, err := learn(context.Background(), s.X.Matrix, Settings{
			Dims: s.Dims, Neighbors: s.K, Core: s.Core, Level: LevelOf(s.Level), Steps: -1, Components: Largest,
		}, given(s), nil)
		if err != nil {
			t.Fatal(err)
		}
		mu, sigma2 := vec.New[float64](s.N, s.Dims), make([]float64, s.N)
		for q, i := range s.Keep {
			copy(mu.Row(q), r.Mu.Row(int(i)))
			sigma2[q] = r.Sigma2[i]
		}
		modeltest.Close(t, "mu", mu.Data, s.Init.Mu.Data, 1e-9)
		modeltest.Close(t, "sigma2", sigma2, s.Init.Sigma2, 1e-9)
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
		"too few rows":        {ok.Slice(0, 9), Settings{}, true},
		"too few distinct":    {vec.New[float32](100, 3), Settings{}, true},
		"dims":                {ok, Settings{Dims: -1}, false},
		"neighbors":           {ok, Settings{Neighbors: -3}, false},
		"core":                {ok, Settings{Core: -3}, false},
		"momentum":            {ok, Settings{Momentum: 1}, false},
		"momentum not finite": {ok, Settings{Momentum: math.NaN()}, false},
		"tolerance":           {ok, Settings{Tolerance: 2}, false},
		"floor":               {ok, Settings{Floor: -1}, false},
		"unknown component":   {ok, Settings{Components: 7}, false},
	} {
		_, err := Fit(ctx, c.x, c.s, nil)
		if err == nil {
			t.Errorf("%s: no error", name)
		} else if models.IsBadInput(err) != c.data {
			t.Errorf("%s: %v: bad input is %v", name, err, !c.data)
		}
	}
	bad := ok.Clone()
	bad.Row(7)[2] = float32(math.NaN())
	var row *models.RowError
	if _, err := Fit(ctx, bad, Settings{}, nil); !errors.As(err, &row) || row.Row != 7 || row.Column != 2 {
		t.Errorf("NaN: %v", err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Fit(done, ok, Settings{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
