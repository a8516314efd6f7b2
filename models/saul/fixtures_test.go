package saul_test

import (
	"context"
	"fmt"
	"testing"

	"unfold/coarse/landmark"
	"unfold/internal/testkit/fixtures"
	"unfold/internal/vec"
	"unfold/models/saul"
	"unfold/sparse/graph"
	"unfold/sparse/solve"
)

// constants returns the constants of the likelihood for a fixture's edges and landmarks.
func constants(t *testing.T, s *fixtures.Saul) *landmark.Pairs {
	t.Helper()
	g := &graph.Graph{N: s.N}
	g.Start, g.To, g.Dist2 = s.Graph()
	p, err := landmark.New(context.Background(), s.Kept(), g, landmark.Settings{Level: s.Level, Choose: func(g landmark.Group) []int32 {
		return s.Chosen(g.Level, g.Landmark, g.Landmarks)
	}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func start(s *fixtures.Saul) *saul.State {
	return (&saul.State{Mu: s.Init.Mu.Matrix, Sigma2: s.Init.Sigma2}).Clone()
}

const (
	direct = 1e-9 // tolerance without iteration
	after  = 1e-7 // after EM steps
)

func TestFixtures(t *testing.T) {
	fixtures.EachSaul(t, func(t *testing.T, s *fixtures.Saul) {
		p := constants(t, s)
		m := saul.NewModel(p, s.Dims, saul.ModelSettings{Tolerance: solve.Exact})
		st := start(s)
		fixtures.CloseTo(t, "log-likelihood at the start", m.LogLikelihood(st), s.Init.LogLik, direct)
		firstSystem(t, m, s)
		if _, err := m.StepMu(context.Background(), st); err != nil {
			t.Fatal(err)
		}
		fixtures.Close(t, "mu after the first mu step", st.Mu.Data, s.Step1.Mu.Data, direct)
		fixtures.CloseTo(t, "log-likelihood after the first mu step", m.LogLikelihood(st), s.Step1.LogLik, direct)
		m.StepSigma(st)
		fixtures.Close(t, "sigma2 after the first step", st.Sigma2, s.Step1.Sigma2, direct)
		course(t, m, s, s.EM)
		course(t, m, s, s.Momentum)
	})
}

// firstSystem compares eq 18, 19 and 20 at the start with the fixture.
func firstSystem(t *testing.T, m *saul.Model, s *fixtures.Saul) {
	st := start(s)
	a, grad := m.Assemble(st)
	var w, want []float64
	for k, i := range s.Step1.W.I {
		j := s.Step1.W.J[k]
		w, want = append(w, a.W.At(int(i), j), a.W.At(int(j), i)), append(want, s.Step1.W.W[k], s.Step1.W.W[k])
	}
	if a.W.NNZ() != len(want) {
		t.Errorf("W has %d entries, want %d", a.W.NNZ(), len(want))
	}
	fixtures.Close(t, "W (eq 18)", w, want, direct)
	fixtures.Close(t, "diagonal of L (eq 19)", a.Diagonal, s.Step1.Diagonal, direct)
	rhs := vec.New[float64](s.N, s.Dims)
	a.Mul(rhs, st.Mu, 1)
	for k, g := range grad.Data {
		rhs.Data[k] += g
	}
	fixtures.Close(t, "right-hand side (eq 20)", rhs.Data, s.Step1.RHS.Data, direct)
}

// course runs EM as the fixture did and compares every recorded value.
func course(t *testing.T, m *saul.Model, s *fixtures.Saul, run fixtures.Run) {
	st := start(s)
	m.Reset()
	got := []float64{m.LogLikelihood(st)}
	compared := 0
	for step := 1; step < len(run.LogLik); step++ {
		if _, err := m.Step(context.Background(), st, run.Beta); err != nil {
			t.Fatal(err)
		}
		got = append(got, m.LogLikelihood(st))
		if want, ok := run.After[step]; ok {
			compared++
			what := fmt.Sprintf("momentum %v, after %d steps, ", run.Beta, step)
			fixtures.Close(t, what+"mu", st.Mu.Data, want.Mu.Data, after)
			fixtures.Close(t, what+"sigma2", st.Sigma2, want.Sigma2, after)
			fixtures.CloseTo(t, what+"log-likelihood", got[step], want.LogLik, after)
		}
	}
	if compared != len(run.After) {
		t.Errorf("compared %d states of %d", compared, len(run.After))
	}
	fixtures.Close(t, fmt.Sprintf("log-likelihoods with momentum %v", run.Beta), got, run.LogLik, after)
}
