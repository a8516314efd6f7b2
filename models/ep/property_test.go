package ep

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd/spd"
	"unfold/internal/vec"
	"unfold/models/psi"
)

// problem returns a small random problem of well separated inputs.
type problem struct {
	kernel *psi.Kernel
	in     psi.Inputs
	z      vec.Matrix[float64]
	y      []float64
}

func drawProblem(t *rapid.T) *problem {
	n, m, q := rapid.IntRange(2, 12).Draw(t, "n"), rapid.IntRange(1, 6).Draw(t, "m"), rapid.IntRange(1, 3).Draw(t, "q")
	number := func(name string, least, most float64) float64 { return rapid.Float64Range(least, most).Draw(t, name) }
	p := &problem{kernel: &psi.Kernel{Variance: number("v", .3, 3), Alpha: make([]float64, q)},
		in: psi.Inputs{Mu: vec.New[float64](n, q), S: vec.New[float64](n, q)}, z: vec.New[float64](m, q), y: make([]float64, n)}
	for k := range p.kernel.Alpha {
		p.kernel.Alpha[k] = number("alpha", .5, 3)
	}
	// The first dimension numbers the points, so that none coincide.
	for i := range n {
		for k := range q {
			p.in.Mu.Row(i)[k], p.in.S.Row(i)[k] = number("mu", -1, 1), number("s", .01, .5)
		}
		p.in.Mu.Row(i)[0] += 2.5 * float64(i)
		p.y[i] = math.Copysign(1, number("y", -1, 1))
	}
	for a := range m {
		for k := range q {
			p.z.Row(a)[k] = number("z", -1, 1)
		}
		p.z.Row(a)[0] += 2.5 * float64(a)
	}
	return p
}

type failer interface{ Fatal(args ...any) }

func converged(t failer, l Likelihood, p *Process, err error, y []float64) *Sparse {
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSparse(l, p, y)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := s.Run(Settings{Sweeps: 200, Tolerance: 1e-12}); err != nil || !r.Converged {
		t.Fatal(r, err)
	}
	return s
}

func near(t *rapid.T, what string, got, want, tolerance float64) {
	if math.Abs(got-want) > tolerance*(1+math.Abs(want)) || math.IsNaN(got) {
		t.Fatalf("%s is %.15g, want %.15g", what, got, want)
	}
}

// With Z = X the approximation is exact.
func TestInducingInputsAtTheInputs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		dtc, err := NewDTC(p.kernel, p.in.Mu, p.in.Mu, 1)
		s := converged(t, Probit{}, dtc, err, p.y)
		k := vec.New[float64](len(p.y), len(p.y))
		p.kernel.Matrix(k, p.in.Mu)
		d := newDense(Probit{}, k, p.y, 1)
		if r, err := d.Run(Settings{Sweeps: 200, Tolerance: 1e-12}); err != nil || !r.Converged {
			t.Fatal(r, err)
		}
		mean, variance := s.Marginals()
		for i := range p.y {
			near(t, "mean", mean[i], d.Mean[i], 1e-8)
			near(t, "variance", variance[i], d.Cov.Row(i)[i], 1e-8)
		}
		near(t, "log marginal", s.LogMarginal(), d.LogMarginal(), 1e-8)
		near(t, "bound", s.Bound(), d.LogMarginal(), 1e-7)
	})
}

// With a Gaussian likelihood L_E equals Titsias' bound, computed here by its own formula, and does
// not exceed the exact log marginal likelihood.
func TestTitsiasBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		noise := rapid.Float64Range(.05, 2).Draw(t, "noise")
		for i := range p.y {
			p.y[i] *= rapid.Float64Range(.1, 2).Draw(t, "size")
		}
		dtc, err := NewDTC(p.kernel, p.in.Mu, p.z, 1)
		s := converged(t, Gaussian{noise}, dtc, err, p.y)
		n := len(p.y)
		q, exact := vec.New[float64](n, n), vec.New[float64](n, n)
		_, solved := dtc.inputs()
		p.kernel.Matrix(exact, p.in.Mu)
		trace := 0.0
		for i := range n {
			for j := range n {
				q.Row(i)[j] = vec.Dot(solved.Row(i), dtc.Psi.Row(j))
			}
			trace += exact.Row(i)[i] - q.Row(i)[i]
			q.Row(i)[i] += noise
			exact.Row(i)[i] += noise
		}
		want := logNormal(t, q, p.y) - trace/(2*noise)
		near(t, "bound", s.Bound(), want, 1e-8)
		if most := logNormal(t, exact, p.y); s.Bound() > most+1e-8*(1+math.Abs(most)) {
			t.Fatalf("the bound %g is above %g", s.Bound(), most)
		}
	})
}

// logNormal returns log N(y | 0, c); c is overwritten.
func logNormal(t failer, c vec.Matrix[float64], y []float64) float64 {
	if err := spd.Factor(c, 1); err != nil {
		t.Fatal(err)
	}
	half := vec.New[float64](len(y), 1)
	copy(half.Data, y)
	spd.HalfSolve(c, half, 1)
	return -0.5 * (float64(len(y))*math.Log(2*math.Pi) + spd.LogDet(c) + vec.SquaredNorm(half.Data))
}

// Uncertain inputs with variance 0 are equal to certain ones.
func TestNoVariance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		clear(p.in.S.Data)
		u, err := NewProcess(p.kernel, p.in, p.z, 1)
		uncertain := converged(t, Probit{}, u, err, p.y)
		c, err := NewDTC(p.kernel, p.in.Mu, p.z, 1)
		certain := converged(t, Probit{}, c, err, p.y)
		near(t, "log marginal", uncertain.LogMarginal(), certain.LogMarginal(), 1e-7)
		near(t, "bound", uncertain.Bound(), certain.Bound(), 1e-7)
		n := len(p.y)
		mean, variance, means, variances := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		uncertain.Predictor().Predict(mean, variance, p.in)
		certain.Predictor().Predict(means, variances, psi.Certain(p.in.Mu))
		for i := range mean {
			near(t, "predicted mean", mean[i], means[i], 1e-6)
			near(t, "predicted variance", variance[i], variances[i], 1e-6)
		}
	})
}

// Gradients are compared with central differences of the bounds at fixed sites.
func TestGradients(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		certain := rapid.Bool().Draw(t, "certain")
		collapsed := !certain && rapid.Bool().Draw(t, "collapsed")
		process := func() *Process {
			made, err := NewProcess(p.kernel, p.in, p.z, 1)
			if certain {
				made, err = NewDTC(p.kernel, p.in.Mu, p.z, 1)
			}
			if err != nil {
				t.Fatal(err)
			}
			return made
		}
		at := converged(t, Probit{}, process(), nil, p.y)
		value := func(g *psi.Gradient) float64 {
			if collapsed {
				v, err := process().Collapsed(at.Tau, vec.Of(len(p.y), 1, at.Nu), g, nil)
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			s, err := NewSparse(Probit{}, process(), p.y)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Warm(at.Sites); err != nil {
				t.Fatal(err)
			}
			if g != nil {
				s.BoundGradient(g)
			}
			return s.logNormal() + s.trace()
		}
		g := psi.NewGradient(len(p.y), p.z.Rows, p.z.Cols)
		value(g)
		check := func(what string, x *float64, slope float64) {
			const h = 1e-5
			was := *x
			*x = was + h
			up := value(nil)
			*x = was - h
			down := value(nil)
			*x = was
			near(t, what, slope, (up-down)/(2*h), 1e-5)
		}
		check("d/dv", &p.kernel.Variance, g.Variance)
		for i := range g.Alpha {
			check("d/dalpha", &p.kernel.Alpha[i], g.Alpha[i])
		}
		for i := range g.Z.Data {
			check("d/dz", &p.z.Data[i], g.Z.Data[i])
		}
		for i := range g.Mu.Data {
			check("d/dmu", &p.in.Mu.Data[i], g.Mu.Data[i])
			if !certain {
				check("d/ds", &p.in.S.Data[i], g.S.Data[i])
			}
		}
	})
}
