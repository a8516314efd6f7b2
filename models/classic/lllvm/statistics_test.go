package lllvm

import (
	"encoding/json"
	"math"
	"testing"

	"unfold/internal/testkit/fixtures"
	"unfold/internal/vec"
)

func (s *scalars) UnmarshalJSON(raw []byte) error {
	var one float64
	if json.Unmarshal(raw, &one) == nil {
		*s = scalars{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]float64)(s))
}

// arbitrary returns a state with the fixture's q(x) and q(C), which no update produced.
func (f *fixture) arbitrary(t *testing.T, m *Model, q *moment) *State {
	t.Helper()
	st, err := m.Start(f.maps(q.MuC.Matrix), f.square(q.SigmaC.Matrix), f.Gamma[0], f.Alpha[0])
	if err != nil {
		t.Fatal(err)
	}
	st.MuX = f.places(q.MuX).Clone()
	copy(st.CovX.Fronts[0].Data, f.square(q.SigmaX.Matrix).Data)
	if err := m.Evaluate(st); err != nil {
		t.Fatal(err)
	}
	return st
}

func (f *fixture) statistics(t *testing.T) {
	f.pointMarginal(t)
	f.AlphaFixed = &f.Alpha[0]
	m := f.model(t, f.neighbors())
	f.point(t, m)
	g := &f.Gaussian
	st := f.arbitrary(t, m, &g.moment)
	f.closeA(t, m, st, g.statistics)
	f.closeGamma(t, m, st, g.statistics)
	closeBound(t, "bound", st.Bound, g.Bound, direct)

	x := st.Clone()
	if _, err := m.UpdateX(x); err != nil {
		t.Fatal(err)
	}
	fixtures.Close(t, "mu_x given q(C)", x.MuX.Data, f.OptimalX.MuX, direct)
	fixtures.Close(t, "Sigma_x given q(C)", x.CovX.Fronts[0].Data, f.square(f.OptimalX.SigmaX.Matrix).Data, direct)
	closeBound(t, "bound with q(x) given q(C)", x.Bound, f.OptimalX.Bound, direct)
	c := st.Clone()
	if _, err := m.UpdateC(c); err != nil {
		t.Fatal(err)
	}
	fixtures.Close(t, "mu_C given q(x)", c.MuC.Data, f.maps(f.OptimalC.MuC.Matrix).Data, direct)
	fixtures.Close(t, "Sigma_C given q(x)", c.CovC.Fronts[0].Data, f.square(f.OptimalC.SigmaC.Matrix).Data, direct)
	closeBound(t, "bound with q(C) given q(x)", c.Bound, f.OptimalC.Bound, direct)
	for _, s := range []*State{x, c} {
		want := s.Bound
		if err := m.Evaluate(s); err != nil {
			t.Fatal(err)
		}
		fixtures.CloseTo(t, "bound from nothing", s.Bound.Total(), want.Total(), direct)
	}

	m.set.LearnAlpha = true
	alpha, err := m.bestAlpha(st)
	if err != nil {
		t.Fatal(err)
	}
	fixtures.CloseTo(t, "best alpha", alpha, g.ArgAlpha, direct)
	trace, square := m.norms(st)
	if alpha, err = m.bestAlphaByTraces((trace + square) / float64(f.Dx)); err != nil {
		t.Fatal(err)
	}
	fixtures.CloseTo(t, "best alpha by traces", alpha, g.ArgAlpha, direct)
	best := st.Clone()
	switch err := m.UpdateGamma(best); {
	case g.ArgGamma == nil && err == nil:
		t.Errorf("gamma is %g, but there is no maximum", best.Gamma)
	case g.ArgGamma != nil:
		fixtures.CloseTo(t, "best gamma", best.Gamma, *g.ArgGamma, direct)
	}
	f.slopes(t, m, st)
}

// slopes compares derivatives of the bound with central differences.
func (f *fixture) slopes(t *testing.T, m *Model, st *State) {
	const h = 1e-5
	at := func(gamma, alpha float64) float64 {
		s := st.Clone()
		s.Gamma = gamma
		if err := m.setAlpha(s, alpha); err != nil {
			t.Fatal(err)
		}
		if err := m.Evaluate(s); err != nil {
			t.Fatal(err)
		}
		return s.Bound.Total()
	}
	gamma, alpha := st.Gamma, st.Alpha
	fixtures.CloseTo(t, "slope in gamma", (at(gamma+h, alpha)-at(gamma-h, alpha))/(2*h), f.Gaussian.DGamma, 1e-6)
	fixtures.CloseTo(t, "slope in alpha", (at(gamma, alpha+h)-at(gamma, alpha-h))/(2*h), f.Gaussian.DAlpha, 1e-6)
}

// point compares the statistics of a fixed x and C, that is, of distributions without covariance.
func (f *fixture) point(t *testing.T, m *Model) {
	p := &f.Point
	st := &State{
		MuX: f.places(p.X), CovX: m.g.tree.NewMatrix(f.Dx),
		MuC: f.maps(p.C.Matrix), CovC: m.g.tree.NewMatrix(f.Dx),
		Gamma: f.Gamma[0], Alpha: f.Alpha[0],
	}
	if err := m.setAlpha(st, st.Alpha); err != nil {
		t.Fatal(err)
	}
	fixtures.Close(t, "A", lower(m.expectA(st)), lower(f.square(p.A.Matrix)), direct)
	fixtures.Close(t, "Gamma", lower(m.expectGamma(st)), lower(f.square(p.Gamma.Matrix)), direct)
	m.linearC(st)
	fixtures.Close(t, "H", m.h.Data, f.maps(p.H.Matrix).Data, direct)
	m.linearX(st)
	fixtures.Close(t, "b", byPoint(f, m.b.Data), p.B, direct)
	m.likelihood(st)
	fixtures.CloseTo(t, "y'e", st.Gamma*st.th, p.YTe, direct)
	fixtures.CloseTo(t, "e'Sigma_y e", st.Gamma/2*st.t, p.ESe, direct)
	b := m.bound(st)
	fixtures.CloseTo(t, "log p(y|x,C)", b.LogLik, p.LogLik, direct)
	// This part compares the normalised priors, with the quadratic forms that priorX and priorC
	// compute.
	n, d, dy := float64(f.N), float64(f.Dx), float64(f.Dy)
	log2pi := math.Log(2 * math.Pi)
	fixtures.CloseTo(t, "log p(x)", 0.5*(d*st.shifted-n*d*log2pi-m.priorX(st, 0).square), p.LogPriorX, direct)
	logDetP := d * (math.Log(n*f.Epsilon) + m.g.logDet + (n-1)*math.Ln2)
	fixtures.CloseTo(t, "log p(C)", 0.5*(dy*logDetP-n*d*dy*log2pi-m.priorC(st, 0).square), p.LogPriorC, direct)
}

func (f *fixture) outOfSample(t *testing.T) {
	f.AlphaFixed = &f.Alpha[0]
	m := f.model(t, f.neighbors())
	st := f.arbitrary(t, m, &moment{MuX: f.MuX, SigmaX: f.SigmaX, MuC: f.MuC, SigmaC: f.SigmaC})
	e := m.NewExtension(st, 0)
	g := m.NewGuest()
	if err := e.begin(g, f.YStar, f.Neighbours); err != nil {
		t.Fatal(err)
	}
	e.average(g)
	for step := 1; step <= 50; step++ {
		if err := e.updateX(g); err != nil {
			t.Fatal(err)
		}
		if err := e.updateC(g); err != nil {
			t.Fatal(err)
		}
		if want, ok := f.States[step]; ok {
			fixtures.Close(t, "mu_x*", g.MuX, want.MuXs, direct)
			fixtures.Close(t, "Sigma_x*", g.CovX.Data, want.SigmaXs.Data, direct)
			fixtures.Close(t, "mu_C*", g.MuC.Data, vec.Transpose(want.MuCs.Matrix).Data, direct)
			fixtures.Close(t, "Sigma_C*", g.CovC.Data, want.SigmaCs.Data, direct)
		}
	}
}
