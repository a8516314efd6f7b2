package ep

import (
	"math"
	"strconv"
	"testing"

	"unfold/internal/testkit/fixtures"
	"unfold/internal/vec"
	"unfold/models/psi"
)

// fixture is any of the files in testdata/fixtures/ep, whose README.md explains the fields.
type fixture struct {
	Kind       string         `json:"kind"`
	Likelihood string         `json:"likelihood"`
	Noise      *float64       `json:"noise_variance"`
	Variance   float64        `json:"variance"`
	Alpha      []float64      `json:"alpha"`
	X          fixtures.Dense `json:"X"`
	Z          fixtures.Dense `json:"Z"`
	Mu         fixtures.Dense `json:"mu"`
	S          fixtures.Dense `json:"S"`
	Targets    []float64      `json:"y"`
	Y          fixtures.Dense `json:"Y"`
	XStar      fixtures.Dense `json:"X_star"`
	K          fixtures.Dense `json:"K"`
	Lambda     []float64      `json:"Lambda"`
	states
	Prediction struct {
		Mean []float64 `json:"mean"`
		Var  []float64 `json:"var"`
		Plus []float64 `json:"p_plus"`
	} `json:"prediction"`
	Fixed   gradientFile `json:"gradient_fixed_sites"`
	Titsias float64      `json:"titsias_bound"`
	Exact   float64      `json:"exact_log_marginal"`
	ExactEP *float64     `json:"logZ_EP_exact_prior"`
	Outputs []states     `json:"outputs"`
	KL      float64      `json:"KL"`
	LH      struct {
		Collapsed float64 `json:"collapsed"`
		Matched   float64 `json:"moment_matched"`
	} `json:"L_H"`
	Gradient gradientFile `json:"gradient"`

	Collapsed float64          `json:"bound_collapsed"`
	TL        float64          `json:"bound_titsias_lawrence"`
	Moment    float64          `json:"bound_moment_matched"`
	Step      float64          `json:"step_size"`
	States    map[int]gaussian `json:"states"`
}

type gaussian struct {
	Z         fixtures.Dense `json:"Z"`
	Mu        fixtures.Dense `json:"mu"`
	S         fixtures.Dense `json:"S"`
	Variance  float64        `json:"variance"`
	Alpha     []float64      `json:"alpha"`
	Noise     float64        `json:"noise_variance"`
	Collapsed float64        `json:"bound_collapsed"`
}

type gradientFile struct {
	LogVariance float64        `json:"d_log_variance"`
	LogAlpha    []float64      `json:"d_log_alpha"`
	Z           fixtures.Dense `json:"d_Z"`
	X           fixtures.Dense `json:"d_X"`
	Mu          fixtures.Dense `json:"d_mu"`
	LogS        fixtures.Dense `json:"d_log_S"`
	LogNoise    float64        `json:"d_log_noise"`

	CollapsedH *gradientFile `json:"collapsed"`
	MatchedH   *gradientFile `json:"moment_matched"`
}

type states struct {
	Updates map[int]state    `json:"after_site_updates"`
	Sweeps  map[string]state `json:"after_sweeps"`
}

type state struct {
	Sites struct {
		Tau    []float64 `json:"tau"`
		Nu     []float64 `json:"nu"`
		LogZ   []float64 `json:"logZhat"`
		CavTau []float64 `json:"tau_cav"`
		CavNu  []float64 `json:"nu_cav"`
	} `json:"sites"`
	Mu         []float64      `json:"mu"`
	Sigma      fixtures.Dense `json:"Sigma"`
	SigmaDiag  []float64      `json:"Sigma_diag"`
	A          fixtures.Dense `json:"A"`
	RtR        fixtures.Dense `json:"RtR"`
	Gamma      []float64      `json:"gamma"`
	LastVisit  float64        `json:"logZtilde_last_visit"`
	Recomputed float64        `json:"logZtilde_recomputed"`
	LogZEP     float64        `json:"logZ_EP_last_visit"`
	LogN       float64        `json:"log_N_mutilde"`
	Trace      float64        `json:"trace_term"`
	LogZDTC    float64        `json:"logZ_DTC_last_visit"`
	LE         float64        `json:"L_E_last_visit"`
	Collapsed  float64        `json:"collapsed"`
	Matched    float64        `json:"moment_matched"`
}

const (
	value = 1e-8
	slope = 1e-7
)

func TestFixtures(t *testing.T) {
	fixtures.Each(t, "ep", func(t *testing.T, f *fixture) {
		switch f.Kind {
		case "psi": // of package psi
		case "ep_dense":
			f.dense(t)
		case "ep_dtc":
			f.dtc(t)
		case "ep_uncertain":
			f.uncertain(t)
		case "gaussian_uncertain":
			f.gaussianUncertain(t)
		default:
			t.Fatalf("no test of kind %q", f.Kind)
		}
	})
}

func (f *fixture) likelihood() Likelihood {
	if f.Likelihood == "gaussian" {
		return Gaussian{*f.Noise}
	}
	return Probit{}
}

func (f *fixture) kernel() *psi.Kernel { return &psi.Kernel{Variance: f.Variance, Alpha: f.Alpha} }

func closeSites(t *testing.T, s *Sites, want *state) {
	t.Helper()
	fixtures.Close(t, "tau", s.Tau, want.Sites.Tau, value)
	fixtures.Close(t, "nu", s.Nu, want.Sites.Nu, value)
	fixtures.Close(t, "log Zhat", s.LogZ, want.Sites.LogZ, value)
	fixtures.Close(t, "cavity tau", s.CavTau, want.Sites.CavTau, value)
	fixtures.Close(t, "cavity nu", s.CavNu, want.Sites.CavNu, value)
}

// eachUpdate calls check after the site updates of the first sweep that a file records.
func (s *states) eachUpdate(update func(i int), check func(want state)) {
	for i := range len(s.Updates) * 5 {
		update(i)
		if want, ok := s.Updates[i+1]; ok {
			check(want)
		}
		if i == 4 {
			return
		}
	}
}

// eachSweep calls check after the sweeps that a file records; 60 are converged.
func (s *states) eachSweep(t *testing.T, sweep func() error, check func(want state)) {
	for i := 1; i <= 60; i++ {
		if err := sweep(); err != nil {
			t.Fatal(err)
		}
		if want, ok := s.Sweeps[strconv.Itoa(i)]; ok {
			check(want)
		}
	}
	check(s.Sweeps["converged"])
}

func (f *fixture) dense(t *testing.T) {
	p := newDense(f.likelihood(), f.K.Matrix, f.Targets, 2)
	f.eachUpdate(func(i int) { p.update(i, 1) }, func(want state) {
		closeSites(t, p.Sites, &want)
		fixtures.Close(t, "mean", p.Mean, want.Mu, value)
		fixtures.Close(t, "covariance", p.Cov.Data, want.Sigma.Data, value)
	})
	p = newDense(f.likelihood(), f.K.Matrix, f.Targets, 2)
	f.eachSweep(t, func() error { return p.sweep(1) }, func(want state) {
		closeSites(t, p.Sites, &want)
		fixtures.Close(t, "mean", p.Mean, want.Mu, value)
		variance := make([]float64, len(p.y))
		for i := range variance {
			variance[i] = p.Cov.Row(i)[i]
		}
		fixtures.Close(t, "variance", variance, want.SigmaDiag, value)
		closeNormalizer(t, p.Sites, p.l, p.y, p.Mean, variance, &want)
		fixtures.CloseTo(t, "log marginal", p.LogMarginal(), want.LogZEP, value)
	})
	k := make([]float64, len(f.Targets))
	for i := range f.XStar.Rows {
		for j := range k {
			sum := 0.0
			for q, alpha := range f.Alpha {
				d := f.XStar.Row(i)[q] - f.X.Row(j)[q]
				sum += alpha * d * d
			}
			k[j] = f.Variance * math.Exp(-sum/2)
		}
		mean, variance := p.Predict(k, f.Variance)
		fixtures.CloseTo(t, "mean of f*", mean, f.Prediction.Mean[i], value)
		fixtures.CloseTo(t, "variance of f*", variance, f.Prediction.Var[i], value)
		fixtures.CloseTo(t, "probability", Probability(mean, variance), f.Prediction.Plus[i], value)
	}
}

func closeNormalizer(t *testing.T, s *Sites, l Likelihood, y, mean, variance []float64, want *state) {
	t.Helper()
	if math.Abs(want.LastVisit) > 1e-9 {
		fixtures.CloseTo(t, "log Z~ of the last visits", s.logNormalizer(), want.LastVisit, value)
	} else if math.Abs(s.logNormalizer()) > 1e-9 {
		t.Errorf("log Z~ is %g, want 0", s.logNormalizer())
	}
	again := &Sites{Tau: s.Tau, Nu: s.Nu, LogZ: make([]float64, len(y)), CavTau: make([]float64, len(y)), CavNu: make([]float64, len(y))}
	again.refresh(l, y, mean, variance)
	if got := again.logNormalizer(); math.Abs(got-want.Recomputed) > value*(1+math.Abs(want.Recomputed)) {
		t.Errorf("log Z~ recomputed is %g, want %g", got, want.Recomputed)
	}
}

func (s *Sparse) matrixM() []float64 {
	m := vec.New[float64](s.u.Rows, s.u.Rows)
	for i := range m.Rows {
		for j := range m.Rows {
			for k := range min(i, j) + 1 {
				m.Row(i)[j] += s.u.Row(k)[i] * s.u.Row(k)[j]
			}
		}
	}
	return m.Data
}

func (f *fixture) newDTC(t *testing.T) *Sparse {
	t.Helper()
	p, err := NewDTC(f.kernel(), f.X.Matrix, f.Z.Matrix, 2)
	if err != nil || p.Jitter != 0 {
		t.Fatal(err, p.Jitter)
	}
	s, err := NewSparse(f.likelihood(), p, f.Targets)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// visit updates one site and keeps gamma up to date.
func visit(t *testing.T, s *Sparse, i int) {
	t.Helper()
	if err := s.update(i, 1); err != nil {
		t.Fatal(err)
	}
	s.settle()
}

func (f *fixture) dtc(t *testing.T) {
	s := f.newDTC(t)
	f.eachUpdate(func(i int) { visit(t, s, i) }, func(want state) {
		closeSites(t, s.Sites, &want)
		mean, _ := s.Marginals()
		fixtures.Close(t, "mean", mean, want.Mu, value)
		fixtures.Close(t, "A", s.matrixM(), want.A.Data, value)
	})
	s = f.newDTC(t)
	f.eachSweep(t, func() error { return s.sweep(1) }, func(want state) {
		closeSites(t, s.Sites, &want)
		mean, variance := s.Marginals()
		fixtures.Close(t, "mean", mean, want.Mu, value)
		fixtures.Close(t, "variance", variance, want.SigmaDiag, value)
		fixtures.Close(t, "A", s.matrixM(), want.A.Data, value)
		closeNormalizer(t, s.Sites, s.l, s.y, mean, variance, &want)
		fixtures.CloseTo(t, "log N", s.logNormal(), want.LogN, value)
		fixtures.CloseTo(t, "trace term", s.trace(), want.Trace, value)
		fixtures.CloseTo(t, "log marginal", s.LogMarginal(), want.LogZDTC, value)
		fixtures.CloseTo(t, "L_E", s.Bound(), want.LE, value)
	})
	if f.Likelihood == "gaussian" {
		fixtures.CloseTo(t, "Titsias' bound", s.Bound(), f.Titsias, value)
	}
	g := psi.NewGradient(len(s.y), s.Z.Rows, len(f.Alpha))
	s.BoundGradient(g)
	f.Fixed.close(t, g, s.Kernel, s.In)
	p := s.Predictor()
	mean, variance := make([]float64, f.XStar.Rows), make([]float64, f.XStar.Rows)
	p.Predict(mean, variance, psi.Certain(f.XStar.Matrix))
	fixtures.Close(t, "mean of f*", mean, f.Prediction.Mean, value)
	fixtures.Close(t, "variance of f*", variance, f.Prediction.Var, value)
	for i, want := range f.Prediction.Plus {
		fixtures.CloseTo(t, "probability", Probability(mean[i], variance[i]), want, value)
	}
}

func (want *gradientFile) close(t *testing.T, g *psi.Gradient, k *psi.Kernel, in psi.Inputs) {
	t.Helper()
	fixtures.CloseTo(t, "derivative in log variance", g.Variance*k.Variance, want.LogVariance, slope)
	alpha := make([]float64, len(g.Alpha))
	for q, v := range g.Alpha {
		alpha[q] = v * k.Alpha[q]
	}
	fixtures.Close(t, "derivative in log alpha", alpha, want.LogAlpha, slope)
	fixtures.Close(t, "derivative in Z", g.Z.Data, want.Z.Data, slope)
	if want.X.Rows > 0 {
		fixtures.Close(t, "derivative in X", g.Mu.Data, want.X.Data, slope)
		return
	}
	fixtures.Close(t, "derivative in mu", g.Mu.Data, want.Mu.Data, slope)
	s := make([]float64, len(in.S.Data))
	for i, v := range g.S.Data {
		s[i] = v * in.S.Data[i]
	}
	fixtures.Close(t, "derivative in log S", s, want.LogS.Data, slope)
}
