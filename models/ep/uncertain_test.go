package ep

import (
	"math"
	"slices"
	"testing"

	"unfold/internal/testkit/fixtures"
	"unfold/internal/vec"
	"unfold/models/psi"
)

func (f *fixture) inputs() psi.Inputs { return psi.Inputs{Mu: f.Mu.Clone(), S: f.S.Clone()} }

func (f *fixture) uncertain(t *testing.T) {
	p, err := NewProcess(f.kernel(), f.inputs(), f.Z.Matrix, 2)
	if err != nil {
		t.Fatal(err)
	}
	fixtures.Close(t, "Lambda", p.Lambda, f.Lambda, value)
	n, m, q := f.Mu.Rows, f.Z.Rows, f.Mu.Cols
	matched, collapsed := psi.NewGradient(n, m, q), psi.NewGradient(n, m, q)
	var lh [2]float64
	for d := range f.Outputs {
		y := make([]float64, n)
		for i := range y {
			y[i] = f.Y.Row(i)[d]
		}
		s := f.output(t, p, y, &f.Outputs[d])
		s.BoundGradient(matched)
		v, err := p.Collapsed(s.Tau, vec.Of(n, 1, s.Nu), collapsed, nil)
		if err != nil {
			t.Fatal(err)
		}
		lh[0] += v + s.logNormalizer()
		lh[1] += s.Bound()
	}
	kl := Divergence(p.In, matched)
	fixtures.CloseTo(t, "KL", kl, f.KL, value)
	fixtures.CloseTo(t, "L_H, collapsed", lh[0]-kl, f.LH.Collapsed, value)
	fixtures.CloseTo(t, "L_H, moment matched", lh[1]-kl, f.LH.Matched, value)
	Divergence(p.In, collapsed)
	f.Fixed.CollapsedH.close(t, collapsed, p.Kernel, p.In)
	f.Fixed.MatchedH.close(t, matched, p.Kernel, p.In)
}

// output runs one output and compares its course.
func (f *fixture) output(t *testing.T, p *Process, y []float64, course *states) *Sparse {
	fresh := func() *Sparse {
		s, err := NewSparse(Probit{}, p, y)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	check := func(s *Sparse, want *state) {
		closeSites(t, s.Sites, want)
		mean, variance := s.Marginals()
		fixtures.Close(t, "mean", mean, want.Mu, value)
		if want.SigmaDiag != nil {
			fixtures.Close(t, "variance", variance, want.SigmaDiag, value)
			closeNormalizer(t, s.Sites, s.l, y, mean, variance, want)
		}
		fixtures.Close(t, "R'R", s.inverseM().Data, want.RtR.Data, value)
		if nonzero(want.Gamma) {
			fixtures.Close(t, "gamma", s.gamma, want.Gamma, value)
		}
	}
	s := fresh()
	course.eachUpdate(func(i int) { visit(t, s, i) }, func(want state) { check(s, &want) })
	s = fresh()
	course.eachSweep(t, func() error { return s.sweep(1) }, func(want state) {
		check(s, &want)
		fixtures.CloseTo(t, "log marginal", s.LogMarginal(), want.LogZEP, value)
		fixtures.CloseTo(t, "moment matched", s.logNormal()+s.trace(), want.Matched, value)
		v, err := p.Collapsed(s.Tau, vec.Of(len(y), 1, s.Nu), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		fixtures.CloseTo(t, "collapsed", v, want.Collapsed, value)
	})
	return s
}

func nonzero(x []float64) bool {
	return slices.ContainsFunc(x, func(v float64) bool { return v != 0 })
}

// titsias is the bound with a Gaussian likelihood, and its gradient.
type titsias struct {
	kernel psi.Kernel
	in     psi.Inputs
	z      vec.Matrix[float64]
	noise  float64
}

func (b *titsias) value(t *testing.T, y vec.Matrix[float64], g *psi.Gradient) (v, logNoise float64) {
	t.Helper()
	p, err := NewProcess(&b.kernel, b.in, b.z, 2)
	if err != nil {
		t.Fatal(err)
	}
	tau, dtau, nu := make([]float64, y.Rows), make([]float64, y.Rows), y.Clone()
	for i := range tau {
		tau[i] = 1 / b.noise
	}
	vec.Scale(1/b.noise, nu.Data)
	v, err = p.Collapsed(tau, nu, g, dtau)
	if err != nil {
		t.Fatal(err)
	}
	for i := range tau {
		logNoise -= dtau[i] * tau[i]
	}
	return v - Divergence(b.in, g), logNoise
}

func (f *fixture) gaussianUncertain(t *testing.T) {
	b := &titsias{*f.kernel(), f.inputs(), f.Z.Clone(), *f.Noise}
	b.kernel.Alpha = slices.Clone(f.Alpha)
	n, m, q := f.Mu.Rows, f.Z.Rows, f.Mu.Cols
	for step := range 6 {
		g := psi.NewGradient(n, m, q)
		v, logNoise := b.value(t, f.Y.Matrix, g)
		if step == 0 {
			fixtures.CloseTo(t, "bound", v, f.Collapsed, value)
			fixtures.CloseTo(t, "bound of Titsias and Lawrence", v, f.TL, value)
			f.Gradient.close(t, g, &b.kernel, b.in)
			fixtures.CloseTo(t, "derivative in log noise", logNoise, f.Gradient.LogNoise, slope)
		} else if want, ok := f.States[step]; ok {
			fixtures.CloseTo(t, "bound", v, want.Collapsed, value)
			fixtures.Close(t, "Z", b.z.Data, want.Z.Data, slope)
			fixtures.Close(t, "mu", b.in.Mu.Data, want.Mu.Data, slope)
			fixtures.Close(t, "S", b.in.S.Data, want.S.Data, slope)
			fixtures.CloseTo(t, "variance", b.kernel.Variance, want.Variance, slope)
			fixtures.Close(t, "alpha", b.kernel.Alpha, want.Alpha, slope)
			fixtures.CloseTo(t, "noise", b.noise, want.Noise, slope)
		}
		vec.Axpy(f.Step, g.Z.Data, b.z.Data)
		vec.Axpy(f.Step, g.Mu.Data, b.in.Mu.Data)
		for i, s := range b.in.S.Data {
			b.in.S.Data[i] = s * math.Exp(f.Step*g.S.Data[i]*s)
		}
		b.kernel.Variance *= math.Exp(f.Step * g.Variance * b.kernel.Variance)
		for i, a := range b.kernel.Alpha {
			b.kernel.Alpha[i] = a * math.Exp(f.Step*g.Alpha[i]*a)
		}
		b.noise *= math.Exp(f.Step * logNoise)
	}
}
