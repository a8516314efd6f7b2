package student

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"unfold/coarse/farfield"
	"unfold/internal/testkit/fixtures"
	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/solve"
)

// tolerance applies to every comparison with the fixtures.
const tolerance = 1e-9

// lists returns the neighbours of a fixture with their squared distances.
func lists(s *fixtures.Student) *knn.Neighbors {
	nb := knn.NewNeighbors(s.N, s.K)
	for i, to := range s.Neighbors {
		index, dist2 := nb.Row(i)
		copy(index, to)
		for q, j := range to {
			dist2[q] = vec.SquaredDistance(s.X.Row(i), s.X.Row(int(j)))
		}
	}
	return nb
}

// scalesOf returns the scales of a fixture.
func scalesOf(s *fixtures.Student) Scales {
	if s.Scales == "unit" {
		return Unit
	}
	return Native
}

// fixed returns the settings of a fixture, with nothing left to defaults.
func fixed(s *fixtures.Student, m Majoriser, sigma Sigma) ModelSettings {
	return ModelSettings{
		Tail: s.Tail, Weight: s.Weight, Majoriser: m, Damping: 1, NoMomentum: true,
		Tolerance: solve.Exact, Sweeps: -1, Sigma: sigma, Check: -1,
	}
}

func modelOf(t *testing.T, s *fixtures.Student, set ModelSettings) *Model {
	t.Helper()
	p := NewProblem(lists(s), s.K, scalesOf(s))
	p.Field = farfield.NewAll(p.Bandwidth2, s.Dims)
	m, err := NewModel(p, s.Dims, set)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func stateOf(s *fixtures.Student) *State {
	return (&State{Mu: s.Mu.Matrix, Sigma2: s.Sigma2}).Clone()
}

func TestFixtures(t *testing.T) {
	fixtures.EachStudent(t, func(t *testing.T, s *fixtures.Student) {
		t.Run("scales", func(t *testing.T) { fixtureScales(t, s) })
		t.Run("state", func(t *testing.T) { fixtureState(t, s) })
		t.Run("em", func(t *testing.T) { fixtureCourse(t, s, EM, Free, s.EM, s.EMLogLik) })
		t.Run("place", func(t *testing.T) { fixturePlace(t, s) })
		if s.Dims == 2 && s.Tail == 1 {
			t.Run("majorisers", func(t *testing.T) { fixtureMajorisers(t, s) })
			t.Run("majoriser", func(t *testing.T) { fixtureCourse(t, s, Global, Fixed, s.Majoriser, s.MajoriserLogLik) })
			t.Run("schedule", func(t *testing.T) { fixtureSchedule(t, s) })
		}
	})
}

// fixtureScales compares the scales that NewProblem computes from the lists with the fixture.
func fixtureScales(t *testing.T, s *fixtures.Student) {
	if s.Clip != [2]float64{ClipLow, ClipHigh} {
		t.Fatalf("the fixture clips to %v", s.Clip)
	}
	p := NewProblem(lists(s), s.K, scalesOf(s))
	fixtures.CloseTo(t, "unit", p.Unit, s.Unit, tolerance)
	fixtures.Close(t, "Delta2", p.Bandwidth2, s.Bandwidth2, tolerance)
	var got, weights []float64
	for i, to := range s.Neighbors {
		for _, j := range to {
			got = append(got, p.delta2.at(p.Similar.Find(i, j)))
			want := 1.0
			if slices.Contains(s.Neighbors[j], int32(i)) {
				want++
			}
			weights = append(weights, p.weights.at(p.Similar.Find(i, j))-want)
		}
	}
	fixtures.Close(t, "delta2", got, s.Delta2.Data, tolerance)
	fixtures.Close(t, "S_ij + S_ji", weights, make([]float64, len(weights)), 0)
}

// fixtureState compares the likelihood, its gradients and the system of EM.
func fixtureState(t *testing.T, s *fixtures.Student) {
	m, st := modelOf(t, s, fixed(s, EM, Free)), stateOf(s)
	similar, dissimilar := m.LogLikelihoods(st)
	fixtures.CloseTo(t, "log-likelihood of similar pairs", similar, s.LogLikS, tolerance)
	fixtures.CloseTo(t, "log-likelihood of dissimilar pairs", dissimilar, s.LogLikD, tolerance)
	fixtures.CloseTo(t, "log-likelihood", m.LogLikelihood(st), s.LogLik, tolerance)
	a, grad := m.Assemble(st)
	fixtures.Close(t, "gradient in mu", grad.Data, s.GradMu.Data, tolerance)
	fixtures.Close(t, "Gamma of EM", m.Gamma(), s.GammaEM, tolerance)
	var w, want []float64
	for q := range s.W.Rows {
		e := s.W.Row(q)
		i, j := int(e[0]), int(e[1])
		w, want = append(w, a.W.At(i, int32(j)), a.W.At(j, int32(i))), append(want, e[2], e[2])
	}
	if a.W.NNZ() != len(want) {
		t.Errorf("W has %d entries, want %d", a.W.NNZ(), len(want))
	}
	fixtures.Close(t, "W", w, want, tolerance)
	diagonal := slices.Clone(s.GammaEM)
	for i := range diagonal {
		_, row := a.W.Row(i)
		for _, v := range row {
			diagonal[i] += v
		}
	}
	fixtures.Close(t, "diagonal of the system", a.Diagonal, diagonal, tolerance)
	fixtures.Close(t, "gradient in sigma2", m.Slopes(st), s.GradSigma2, tolerance)
}

// fixtureMajorisers compares the two tighter diagonals.
func fixtureMajorisers(t *testing.T, s *fixtures.Student) {
	for k, want := range map[Majoriser][]float64{Global: s.GammaGlobal, Local: s.GammaLocal} {
		m := modelOf(t, s, fixed(s, k, Fixed))
		m.Assemble(stateOf(s))
		fixtures.Close(t, fmt.Sprintf("Gamma of majoriser %d", k), m.Gamma(), want, tolerance)
		fixtures.Close(t, "gradient beside it", m.grad.Data, s.GradMu.Data, tolerance)
	}
}

// fixtureCourse takes as many steps as the fixture and compares all recorded values.
func fixtureCourse(t *testing.T, s *fixtures.Student, k Majoriser, sigma Sigma, after map[int]fixtures.State, logliks []float64) {
	m, st := modelOf(t, s, fixed(s, k, sigma)), stateOf(s)
	var got []float64
	compared := 0
	for step := 1; step <= len(logliks); step++ {
		if _, err := m.Step(context.Background(), st); err != nil {
			t.Fatal(err)
		}
		got = append(got, m.LogLikelihood(st))
		want, ok := after[step]
		if !ok {
			continue
		}
		compared++
		what := fmt.Sprintf("after %d steps, ", step)
		fixtures.Close(t, what+"mu", st.Mu.Data, want.Mu.Data, tolerance)
		if sigma == Free {
			fixtures.Close(t, what+"sigma2", st.Sigma2, want.Sigma2, tolerance)
		}
		fixtures.CloseTo(t, what+"log-likelihood", got[step-1], want.LogLik, tolerance)
	}
	if compared == 0 || compared != len(after) {
		t.Errorf("compared %d states of %d", compared, len(after))
	}
	fixtures.Close(t, "log-likelihoods", got, logliks, tolerance)
}

// fixtureSchedule runs Learn over the first steps of the schedule, once for each number of steps in
// the fixture.
func fixtureSchedule(t *testing.T, s *fixtures.Student) {
	c := s.Schedule
	total := c.Steps[0] + c.Steps[1] + c.Steps[2]
	m := modelOf(t, s, ModelSettings{
		Tail: s.Tail, Weight: s.Weight, Majoriser: Local, Damping: c.Damping, Momentum: c.Momentum,
		Tolerance: solve.Exact, Sweeps: -1, Phases: c.Steps, Ratio: c.Ratio, Check: -1,
	})
	st := stateOf(s)
	final := m.c
	compared := 0
	compare := func(step int) {
		want, ok := c.States[step]
		if !ok {
			return
		}
		compared++
		what := fmt.Sprintf("after %d steps, ", step)
		fixtures.CloseTo(t, what+"c", m.weightsAt(step-1).c, want.Weight, tolerance)
		fixtures.Close(t, what+"mu", st.Mu.Data, want.Mu.Data, tolerance)
		now := m.c
		m.c = final
		fixtures.CloseTo(t, what+"log-likelihood", m.LogLikelihood(st.Clone()), want.LogLik, tolerance)
		m.c = now
	}
	r, err := m.Learn(context.Background(), st, func(done, of int) {
		if of != total {
			t.Errorf("%d steps, want %d", of, total)
		}
		compare(done)
	})
	if err != nil || r.Iterations != total || r.Falls != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	fixtures.CloseTo(t, "the report's log-likelihood", r.Loglik, c.States[total].LogLik, tolerance)
	if compared == 0 || compared != len(c.States) {
		t.Errorf("compared %d states of %d", compared, len(c.States))
	}
}

// fixturePlace compares the place of a new point.
func fixturePlace(t *testing.T, s *fixtures.Student) {
	p := s.Place
	scale, unit := scalesOf(s), s.Unit
	var edges []Edge
	var delta2 []float64
	for _, j := range p.Neighbors {
		e := Edge{Mu: s.Mu.Row(int(j)), Sigma2: s.Sigma2[j], S: 1}
		e.Delta2 = scale.Delta2(vec.SquaredDistance(p.X, s.X.Row(int(j))), unit)
		edges, delta2 = append(edges, e), append(delta2, e.Delta2)
	}
	fixtures.Close(t, "delta2", delta2, p.Delta2, tolerance)
	mu := make([]float64, s.Dims)
	Median(mu, make([]float64, 2*len(edges)), edges)
	fixtures.Close(t, "start", mu, p.Start, tolerance)
	Place(mu, make([]float64, s.Dims), edges, p.Sigma2, s.Tail, 50)
	fixtures.Close(t, "after 50 steps", mu, p.After, tolerance)
}
