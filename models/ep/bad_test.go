package ep

import (
	"math"
	"strings"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/psi"
)

// line returns n inputs on a line, a unit apart.
func line(n int) vec.Matrix[float64] {
	x := vec.New[float64](n, 1)
	for i := range n {
		x.Data[i] = float64(i)
	}
	return x
}

func unit() *psi.Kernel { return &psi.Kernel{Variance: 1, Alpha: []float64{1}} }

func constant(n int, v float64) vec.Matrix[float64] {
	s := vec.New[float64](n, 1)
	for i := range s.Data {
		s.Data[i] = v
	}
	return s
}

func TestRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		what   string
		change func(k *psi.Kernel, in *psi.Inputs, z *vec.Matrix[float64], y *[]float64)
	}{
		{"kernel's variance is 0", func(k *psi.Kernel, _ *psi.Inputs, _ *vec.Matrix[float64], _ *[]float64) { k.Variance = 0 }},
		{"kernel's variance is +Inf", func(k *psi.Kernel, _ *psi.Inputs, _ *vec.Matrix[float64], _ *[]float64) { k.Variance = inf }},
		{"alpha of dimension 0 is -1", func(k *psi.Kernel, _ *psi.Inputs, _ *vec.Matrix[float64], _ *[]float64) { k.Alpha[0] = -1 }},
		{"input 2 has the variance -1", func(_ *psi.Kernel, in *psi.Inputs, _ *vec.Matrix[float64], _ *[]float64) { in.S.Data[2] = -1 }},
		{"input 1 has the variance NaN", func(_ *psi.Kernel, in *psi.Inputs, _ *vec.Matrix[float64], _ *[]float64) { in.S.Data[1] = nan }},
		{"the inputs: row 3", func(_ *psi.Kernel, in *psi.Inputs, _ *vec.Matrix[float64], _ *[]float64) { in.Mu.Data[3] = inf }},
		{"the inducing inputs: row 0", func(_ *psi.Kernel, _ *psi.Inputs, z *vec.Matrix[float64], _ *[]float64) { z.Data[0] = nan }},
		{"no inducing inputs", func(_ *psi.Kernel, _ *psi.Inputs, z *vec.Matrix[float64], _ *[]float64) { *z = vec.New[float64](0, 1) }},
		{"has 1 dimensions", func(_ *psi.Kernel, _ *psi.Inputs, z *vec.Matrix[float64], _ *[]float64) { *z = vec.New[float64](2, 2) }},
		{"3 values for 5 inputs", func(_ *psi.Kernel, _ *psi.Inputs, _ *vec.Matrix[float64], y *[]float64) { *y = (*y)[:3] }},
		{"value 4 is 0", func(_ *psi.Kernel, _ *psi.Inputs, _ *vec.Matrix[float64], y *[]float64) { (*y)[4] = 0 }},
	} {
		k, in, z, y := unit(), psi.Inputs{Mu: line(5), S: constant(5, .1)}, line(3), []float64{1, -1, 1, 1, -1}
		c.change(k, &in, &z, &y)
		p, err := NewProcess(k, in, z, 1)
		if err == nil {
			_, err = NewSparse(Probit{}, p, y)
		}
		if err == nil || !models.IsBadInput(err) || !strings.Contains(err.Error(), c.what) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	p, err := NewDTC(unit(), line(2), line(2), 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewSparse(Gaussian{}, p, []float64{0, 1}); err == nil || !models.IsBadInput(err) {
		t.Error("a likelihood without variance:", err)
	}
}

func settled(t *testing.T, p *Process, err error, y []float64) *Sparse {
	t.Helper()
	s := converged(t, Probit{}, p, err, y)
	if s.Negative > 0 {
		t.Errorf("%d negative cavities", s.Negative)
	}
	return s
}

// With a single class, it is predicted with confidence where it was seen, and with none far away.
func TestOneClass(t *testing.T) {
	p, err := NewProcess(unit(), psi.Inputs{Mu: line(6), S: constant(6, .05)}, line(6), 1)
	s := settled(t, p, err, []float64{1, 1, 1, 1, 1, 1})
	mean, variance := make([]float64, 2), make([]float64, 2)
	x := vec.Of(2, 1, []float64{3, 100})
	s.Predictor().Predict(mean, variance, psi.Certain(x))
	if near := Probability(mean[0], variance[0]); near < .75 {
		t.Errorf("probability %g where the class was seen", near)
	}
	if far := Probability(mean[1], variance[1]); math.Abs(far-.5) > 1e-12 {
		t.Errorf("probability %g far away", far)
	}
}

// Coinciding inducing inputs carry no more information than one of them, and more inducing inputs
// than inputs do no harm.
func TestDuplicateInducingInputs(t *testing.T) {
	y := []float64{1, 1, -1}
	x := line(3)
	once, err := NewDTC(unit(), x, line(3), 1)
	a := settled(t, once, err, y)
	twice, err := NewDTC(unit(), x, vec.Of(7, 1, []float64{0, 1, 2, 0, 1, 2, 2}), 1)
	b := settled(t, twice, err, y)
	if twice.Jitter == 0 {
		t.Error("nothing was added to a singular matrix")
	}
	if v, w := a.LogMarginal(), b.LogMarginal(); math.Abs(v-w) > 1e-3 {
		t.Errorf("log marginal %g with each once, %g with duplicates", v, w)
	}
	for _, s := range []*Sparse{a, b} {
		mean, variance := make([]float64, 1), make([]float64, 1)
		s.Predictor().Predict(mean, variance, psi.Certain(vec.Of(1, 1, []float64{.5})))
		if p := Probability(mean[0], variance[0]); p < .6 || p > .99 {
			t.Errorf("probability %g between two of class 1", p)
		}
	}
}

// An input of infinite variance has no effect, and its class is uncertain.
func TestInfiniteVariance(t *testing.T) {
	y := []float64{1, -1, 1, -1}
	in := psi.Inputs{Mu: line(4), S: constant(4, .1)}
	in.S.Data[3] = math.Inf(1)
	p, err := NewProcess(unit(), in, line(3), 1)
	s := settled(t, p, err, y)
	less, err := NewProcess(unit(), psi.Inputs{Mu: in.Mu.Slice(0, 3), S: in.S.Slice(0, 3)}, line(3), 1)
	without := settled(t, less, err, y[:3])
	mean, variance := make([]float64, 4), make([]float64, 4)
	s.Predictor().Predict(mean, variance, in)
	if mean[3] != 0 || variance[3] != 1 || Probability(mean[3], variance[3]) != .5 {
		t.Errorf("mean %g, variance %g where nothing is known", mean[3], variance[3])
	}
	want, spread := make([]float64, 3), make([]float64, 3)
	without.Predictor().Predict(want, spread, less.In)
	for i, v := range want {
		if math.Abs(mean[i]-v) > 1e-8 || math.Abs(variance[i]-spread[i]) > 1e-8 {
			t.Errorf("input %d: %g, %g; without the unknown one %g, %g", i, mean[i], variance[i], v, spread[i])
		}
	}
}

// concave is a likelihood whose moments no Gaussian factor matches: its tau is negative for one
// value.
type concave struct{ Probit }

func (c concave) Match(y, m, v float64) (logZ, tau, nu float64) {
	logZ, tau, nu = c.Probit.Match(math.Copysign(1, y), m, v)
	if y == 2 {
		tau = -3
	}
	return logZ, tau, nu
}

// Updates that would give a negative precision are skipped and counted, and the following sweeps
// are damped by a half.
func TestNegative(t *testing.T) {
	p, err := NewDTC(unit(), line(3), line(3), 1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSparse(concave{}, p, []float64{1, 2, -1})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(Settings{Sweeps: 4})
	if err != nil || r.Negative != 4 || r.Sweeps != 4 || r.Converged || r.Damping != 1./16 {
		t.Errorf("%+v, %v", r, err)
	}
	if s.Tau[1] != 0 || s.Nu[1] != 0 || s.Tau[0] <= 0 || s.Tau[2] <= 0 {
		t.Errorf("precisions %v", s.Tau)
	}
	// A cavity without a positive variance.
	before := s.Negative
	s.Tau[0] = 1e9
	s.visit(0, Probit{}, 1, 0, 1, 1)
	if s.Negative != before+1 || s.Tau[0] != 1e9 {
		t.Error("a negative cavity was not counted")
	}
}

// Damped sweeps converge to the same result as undamped ones.
func TestDamping(t *testing.T) {
	y := []float64{1, -1, -1, 1, 1}
	p, err := NewDTC(unit(), line(5), line(3), 1)
	want := settled(t, p, err, y)
	s, err := NewSparse(Probit{}, p, y)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := s.Run(Settings{Damping: .5, Sweeps: 200, Tolerance: 1e-11}); err != nil || !r.Converged || r.Damping != .5 {
		t.Fatal(r, err)
	}
	for i, v := range want.Tau {
		if math.Abs(s.Tau[i]-v) > 1e-8 {
			t.Errorf("site %d: %g, want %g", i, s.Tau[i], v)
		}
	}
}
