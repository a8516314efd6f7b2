package saul

import (
	"context"
	"maps"
	"math"
	"slices"
	"testing"

	"unfold/coarse/landmark"
	"unfold/internal/testkit/fixtures"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/prior"
)

// learnFixture runs a whole fit on the inputs of a fixture, to the fixture's number of steps. It
// returns the result, and the means and variances of the kept points.
func learnFixture(t *testing.T, s *fixtures.Saul, set Settings) (r *Result, mu vec.Matrix[float64], sigma2 []float64) {
	t.Helper()
	set.Dims, set.Neighbors, set.Core, set.Level, set.Components = s.Dims, s.K, s.Core, LevelOf(s.Level), Largest
	r, err := fit(context.Background(), s.X.Matrix, set, func(g landmark.Group) []int32 {
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

// A fit from a fixture's inputs agrees with every stage of the fixture: neighbours, largest
// component, graph, constants, eigenvectors and the map after EM.
func TestFixturesFit(t *testing.T) {
	fixtures.EachSaul(t, func(t *testing.T, s *fixtures.Saul) {
		for _, run := range []fixtures.Run{s.EM, s.Momentum} {
			steps := slices.Max(slices.Collect(maps.Keys(run.After)))
			r, mu, sigma2 := learnFixture(t, s, Settings{Common: models.Common{Steps: steps}, Options: Options{Momentum: run.Beta, NoMomentum: run.Beta == 0, Tolerance: 1e-14}})
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
		_, mu, sigma2 := learnFixture(t, s, Settings{Common: models.Common{Steps: -1}})
		fixtures.Close(t, "mu", mu.Data, s.Init.Mu.Data, 1e-9)
		fixtures.Close(t, "sigma2", sigma2, s.Init.Sigma2, 1e-9)
	})
}

// With a frame, learning starts in the frame, at the scale that eigenvectors would have.
func TestStartsInTheFrame(t *testing.T) {
	x := modeltest.Blobs(150, 6, 3)
	fit := func(f prior.Frame) vec.Matrix[float64] {
		r, err := Fit(t.Context(), x, Settings{Common: models.Common{Steps: -1}, Options: Options{Prior: prior.Settings{Frame: f}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r.Mu
	}
	at, free := fit(prior.PCA), fit(prior.None)
	frame, _, err := prior.Settings{Frame: prior.PCA}.Places(t.Context(), prior.Points{X: x}, 2)
	if err != nil {
		t.Fatal(err)
	}
	size := func(m vec.Matrix[float64]) float64 { return math.Sqrt(vec.SquaredNorm(m.Data)) }
	vec.Scale(size(at)/size(frame), frame.Data)
	if d := math.Sqrt(vec.SquaredDistance(at.Data, frame.Data)); d > 1e-6*size(at) {
		t.Errorf("points start %v of their extent away from the frame", d/size(at))
	}
	if r := size(at) / size(free); math.Abs(r-1) > 0.01 {
		t.Errorf("the extent of the start is %v of that of eigenvectors", r)
	}
}
