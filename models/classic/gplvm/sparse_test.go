package gplvm

import (
	"context"
	"math"
	"slices"
	"testing"

	"unfold/internal/testkit/fixtures"
	"unfold/internal/vec"
	"unfold/models/optimize"
)

func (f *fixture) predict(t *testing.T) {
	m := f.model(t)
	fixtures.Close(t, "bias", m.mean, f.Bias, direct)
	a, err := m.Predictor(f.Params, f.X.Matrix, Gaussian{f.Own})
	if err != nil {
		t.Fatal(err)
	}
	w, d := a.NewScratch(), m.Dim()
	mean, variance := make([]float64, d), make([]float64, d)
	for i := range f.XStar.Rows {
		a.Predict(mean, variance, f.XStar.Row(i), w)
		vec.Axpy(1, f.Bias, mean)
		fixtures.Close(t, "mean", mean, f.PredMean.Row(i), direct)
		fixtures.CloseTo(t, "variance", variance[0], f.PredVar[i], direct)
	}
	for _, p := range f.Points {
		y := make([]float64, d)
		for j, v := range p.Y {
			y[j] = math.NaN()
			if v != nil {
				y[j] = *v
			}
		}
		dx := make([]float64, len(p.X0))
		logP := a.LogZ(dx, y, p.X0, w)
		fixtures.CloseTo(t, "log p(y|x)", logP, p.LogP, direct)
		fixtures.Close(t, "its gradient", dx, p.NoPrior, slope)
		_, err := optimize.Minimize(context.Background(), a.place(y, w), slices.Clone(p.X0), optimize.Settings{Steps: 5, Observe: func(it optimize.Iteration) bool {
			if want, ok := p.SCG[it.Number]; ok {
				fixtures.Close(t, "place", it.X, want.X, course)
				fixtures.CloseTo(t, "objective", -it.F, want.Objective, course)
			}
			return true
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (f *fixture) sparse(t *testing.T) *Sparse {
	t.Helper()
	if f.Obs != nil {
		for i := range f.Y.Rows {
			for j := range f.Y.Row(i) {
				if f.Obs.Row(i)[j] == 0 {
					f.Y.Row(i)[j] = math.NaN()
				}
			}
		}
	}
	var noise Noise = Gaussian{f.Own}
	if f.Noise == "probit" {
		noise = Probit{f.Own}
	}
	return NewSparse(f.kernel(t), noise, f.Y.Matrix, 2)
}

func (f *fixture) ivm(t *testing.T) {
	s := f.sparse(t)
	fixtures.Close(t, "bias", s.bias, f.Bias, direct)
	fixtures.Close(t, "first gains", s.Select(f.Params, f.X.Matrix, 0).gains, f.Gains, direct)
	for d, want := range f.States {
		q := s.Select(f.Params, f.X.Matrix, d)
		fixtures.Close(t, "mean", q.Mean.Data, want.Mu.Data, slope)
		fixtures.Close(t, "variance", q.Variance.Data, want.Var.Data, slope)
		fixtures.Close(t, "g", q.G.Data, want.G.Data, slope)
		fixtures.Close(t, "nu", q.Nu.Data, want.Nu.Data, slope)
		fixtures.Close(t, "m", q.M.Data, want.M.Data, slope)
		fixtures.Close(t, "beta", q.Beta.Data, want.Beta.Data, slope)
	}
	q := s.Select(f.Params, f.X.Matrix, f.D)
	if !slices.Equal(q.Order, f.Order) {
		t.Fatalf("the active set is %v, want %v", q.Order, f.Order)
	}
	fixtures.Close(t, "gains", q.Gain, f.At, direct)
	f.active(t, s, q)
}

// active compares the process conditioned on the active set.
func (f *fixture) active(t *testing.T, s *Sparse, q *Selection) {
	a, err := q.Active(f.Params, f.X.Matrix)
	if err != nil {
		t.Fatal(err)
	}
	w, dx, dp := vec.New[float64](f.D, f.D), vec.New[float64](f.D, f.X.Cols), make([]float64, len(f.Params))
	fixtures.CloseTo(t, "log-likelihood of the active set", a.LogLik(w), f.ActLogLik, direct)
	fixtures.Close(t, "its derivative in K", w.Data, f.ActDK.Data, slope)
	s.kernel.Gradient(dp, dx, w, f.Params, a.x, 1)
	fixtures.Close(t, "its gradient in X", dx.Data, f.ActGradX.Data, slope)
	fixtures.Close(t, "its gradient in the parameters", dp, f.ActGradP, slope)
	room, d := a.NewScratch(), s.y.Cols
	mean, variance := make([]float64, d), make([]float64, d)
	for i := range f.XStar.Rows {
		a.Predict(mean, variance, f.XStar.Row(i), room)
		fixtures.Close(t, "mean of f", mean, f.MeanF.Row(i), direct)
		fixtures.Close(t, "variance of f", variance[:f.VarF.Cols], f.VarF.Row(i), direct)
		for j := range f.Plus.Cols {
			logZ, _, _ := s.noise.LogZ(1, s.bias[j], mean[j], variance[j])
			fixtures.CloseTo(t, "probability of 1", math.Exp(logZ), f.Plus.Row(i)[j], direct)
		}
	}
	g := make([]float64, f.X.Cols)
	objective, err := a.place(s.y.Row(f.Point.Index), room)(f.Point.X, g)
	if err != nil {
		t.Fatal(err)
	}
	fixtures.CloseTo(t, "objective of a point", -objective, f.Point.Objective, direct)
	vec.Scale(-1, g)
	fixtures.Close(t, "its gradient", g, f.Point.Grad, slope)
	if f.Rest != nil {
		sum := 0.0
		for i := range f.X.Rows {
			if !q.active[i] {
				sum += a.LogZ(nil, s.y.Row(i), f.X.Row(i), room)
			}
		}
		fixtures.CloseTo(t, "ln Z of the others", sum, *f.Rest, direct)
	}
}

func (f *fixture) algorithm1(t *testing.T) {
	s, p := f.sparse(t), f.point()
	set := SparseSettings{Active: f.D, Rounds: f.T, KernelSteps: f.KernelIter, PointSteps: f.PointIter, MoveActive: f.MoveActive}
	set.Observe = func(round int, value float64) bool {
		want := f.History[round-1]
		fixtures.CloseTo(t, "objective of the kernel", value, want.Objective, rounds)
		fixtures.Close(t, "parameters", p.Theta, want.Params, rounds)
		fixtures.Close(t, "X", p.X.Data, want.X.Data, rounds)
		return true
	}
	q, err := s.Learn(context.Background(), p, set)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(q.Order, f.Final) {
		t.Errorf("the active set is %v, want %v", q.Order, f.Final)
	}
}
