package gplvm

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"unfold/internal/simd/spd"
	"unfold/internal/testkit/fixtures"
	"unfold/internal/vec"
	"unfold/models/classic/kernel"
	"unfold/models/optimize"
)

// gaps reads rows of numbers in which null is a missing value.
type gaps struct{ vec.Matrix[float64] }

func (g *gaps) UnmarshalJSON(raw []byte) error {
	var rows [][]*float64
	if err := json.Unmarshal(raw, &rows); err != nil || len(rows) == 0 {
		return err
	}
	g.Matrix = vec.New[float64](len(rows), len(rows[0]))
	for i, row := range rows {
		for j, v := range row {
			g.Row(i)[j] = math.NaN()
			if v != nil {
				g.Row(i)[j] = *v
			}
		}
	}
	return nil
}

// fixture is any of the files in testdata/fixtures/gplvm, whose README.md explains
// the fields.
type fixture struct {
	Kind   string          `json:"kind"`
	Parts  []string        `json:"parts"`
	Params []float64       `json:"params"`
	Y      gaps            `json:"Y"`
	X      fixtures.Dense  `json:"X"`
	Q      int             `json:"q"`
	D      int             `json:"d"`
	Noise  string          `json:"noise"`
	Own    float64         `json:"noise_variance"`
	Bias   []float64       `json:"bias"`
	Center fixtures.Dense  `json:"Y_centred"`
	Obs    *fixtures.Dense `json:"observed"`
	Mean   json.RawMessage `json:"mean_observed"`

	K        fixtures.Dense `json:"K"`
	LogLik   float64        `json:"loglik"`
	LogPrior float64        `json:"logprior"`
	Total    float64        `json:"total"`
	DK       fixtures.Dense `json:"dL_dK"`
	GradX    fixtures.Dense `json:"grad_X_loglik"`
	GradAll  fixtures.Dense `json:"grad_X_total"`
	GradP    []float64      `json:"grad_params"`
	GradFree []float64      `json:"grad_params_unconstrained"`
	Ascent   struct {
		Step   float64           `json:"step_size"`
		States map[int]stateFile `json:"states"`
	} `json:"gradient_ascent"`
	SCG struct {
		States map[int]stateFile    `json:"states"`
		Trace  [][4]json.RawMessage `json:"trace"`
	} `json:"scg"`

	Eigen   []float64      `json:"eigenvalues"`
	BetaInv float64        `json:"beta_inv"`
	XXt     fixtures.Dense `json:"XXt"`
	Fixed   struct {
		BetaInv float64        `json:"beta_inv"`
		XXt     fixtures.Dense `json:"XXt"`
		LogLik  float64        `json:"loglik"`
	} `json:"fixed_beta"`
	KL float64 `json:"KL_S_K_excluding_lnS"`

	PosteriorMean fixtures.Dense `json:"posterior_mean_of_f"`
	PosteriorVar  fixtures.Dense `json:"predictive_variance_of_y"`

	XStar    fixtures.Dense `json:"X_star"`
	PredMean fixtures.Dense `json:"mean"`
	PredVar  []float64      `json:"variance"`
	Points   []struct {
		Y         []*float64        `json:"y"`
		X0        []float64         `json:"x0"`
		LogP      float64           `json:"log_p_y_given_x"`
		Objective float64           `json:"objective"`
		Grad      []float64         `json:"grad"`
		NoPrior   []float64         `json:"grad_no_prior"`
		SCG       map[int]pointFile `json:"scg_states"`
	} `json:"points"`

	Gains  []float64 `json:"first_entropy_gains"`
	Order  []int32   `json:"order"`
	At     []float64 `json:"entropy_gain_at_selection"`
	States map[int]struct {
		Mu   fixtures.Dense `json:"mu"`
		Var  fixtures.Dense `json:"var"`
		G    fixtures.Dense `json:"g"`
		Nu   fixtures.Dense `json:"nu"`
		M    fixtures.Dense `json:"m"`
		Beta fixtures.Dense `json:"beta"`
	} `json:"states"`
	ActLogLik float64        `json:"active_set_loglik"`
	ActDK     fixtures.Dense `json:"active_set_dL_dK"`
	ActGradX  fixtures.Dense `json:"active_set_grad_X"`
	ActGradP  []float64      `json:"active_set_grad_params"`
	MeanF     fixtures.Dense `json:"mean_f"`
	VarF      fixtures.Dense `json:"variance_f"`
	Plus      fixtures.Dense `json:"prob_plus_star"`
	Rest      *float64       `json:"logZ_remaining"`
	Point     struct {
		Index     int       `json:"index"`
		X         []float64 `json:"x"`
		Objective float64   `json:"objective"`
		Grad      []float64 `json:"grad"`
	} `json:"point"`

	T          int  `json:"T"`
	KernelIter int  `json:"kernel_iterations"`
	PointIter  int  `json:"point_iterations"`
	MoveActive bool `json:"optimise_active_X"`
	History    []struct {
		Params    []float64      `json:"params"`
		X         fixtures.Dense `json:"X"`
		Objective float64        `json:"kernel_objective"`
	} `json:"history"`
	Final []int32 `json:"final_active"`
}

type stateFile struct {
	Params []float64      `json:"params"`
	X      fixtures.Dense `json:"X"`
	Total  float64        `json:"total"`
}

type pointFile struct {
	X         []float64 `json:"x"`
	Objective float64   `json:"objective"`
}

const (
	direct = 1e-9
	slope  = 1e-7
	course = 1e-6
	rounds = 1e-5
)

func (f *fixture) kernel(t *testing.T) *kernel.Kernel {
	t.Helper()
	k, err := kernel.Parse(strings.Replace(strings.Join(f.Parts, "+"), "lin+", "linear+", 1))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (f *fixture) model(t *testing.T) *Model {
	t.Helper()
	k := kernel.New(kernel.Linear{}, kernel.White{})
	if f.Parts != nil {
		k = f.kernel(t)
	}
	m, err := New(k, f.Y.Matrix, 2)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (f *fixture) point() *Point { return &Point{slices.Clone(f.Params), f.X.Clone()} }

func TestFixtures(t *testing.T) {
	fixtures.Each(t, "gplvm", func(t *testing.T, f *fixture) {
		switch f.Kind {
		case "kernel": // the kernels
		case "objective":
			f.objective(t)
		case "dual_ppca":
			f.dualPPCA(t)
		case "pca_init":
			x, err := f.model(t).PCA(f.Q)
			if err != nil {
				t.Fatal(err)
			}
			fixtures.Close(t, "X", x.Data, f.X.Data, direct)
		case "missing":
			f.missing(t)
		case "predict":
			f.predict(t)
		case "ivm":
			f.ivm(t)
		case "algorithm1":
			f.algorithm1(t)
		case "oil": // TestOil
		default:
			t.Fatalf("no test of kind %q", f.Kind)
		}
	})
}

func (f *fixture) objective(t *testing.T) {
	m, p := f.model(t), f.point()
	fixtures.Close(t, "centred Y", m.y.Data, f.Center.Data, direct)
	v := &Value{Theta: make([]float64, len(p.Theta)), X: vec.New[float64](p.X.Rows, p.X.Cols)}
	if err := m.Evaluate(v, p.Theta, p.X); err != nil {
		t.Fatal(err)
	}
	fixtures.CloseTo(t, "log-likelihood", v.LogLik, f.LogLik, direct)
	fixtures.CloseTo(t, "prior", v.LogPrior, f.LogPrior, direct)
	fixtures.CloseTo(t, "total", v.Total(), f.Total, direct)
	spd.Mirror(m.w, 1)
	fixtures.Close(t, "dL/dK", m.w.Data, f.DK.Data, slope)
	fixtures.Close(t, "gradient in X", v.X.Data, f.GradAll.Data, slope)
	fixtures.Close(t, "gradient in parameters", v.Theta, f.GradP, slope)
	kernel.ToFree(v.Theta, p.Theta)
	fixtures.Close(t, "gradient in free parameters", v.Theta, f.GradFree, slope)
	f.ascent(t, m)
	f.conjugate(t, m)
}

// ascent follows the gradient with fixed steps.
func (f *fixture) ascent(t *testing.T, m *Model) {
	p := f.point()
	x, g, objective := p.free(), make([]float64, len(p.Theta)+len(p.X.Data)), m.Objective(p)
	for step := 1; step <= 5; step++ {
		if _, err := objective(x, g); err != nil {
			t.Fatal(err)
		}
		vec.Axpy(-f.Ascent.Step, g, x)
		e, err := objective(x, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want, ok := f.Ascent.States[step]; ok {
			want.close(t, fmt.Sprintf("gradient ascent %d", step), p, -e, slope)
		}
	}
}

func (s *stateFile) close(t *testing.T, what string, p *Point, total, tol float64) {
	t.Helper()
	fixtures.Close(t, what+": parameters", p.Theta, s.Params, tol)
	fixtures.Close(t, what+": X", p.X.Data, s.X.Data, tol)
	fixtures.CloseTo(t, what+": total", total, s.Total, tol)
}

// conjugate compares a run of conjugate gradients with the reference. Some runs double their
// rounding errors in every step. The tolerance is ten times the largest difference of the objective
// from starts that differ by a few 1e-13.
func (f *fixture) conjugate(t *testing.T, m *Model) {
	exact := f.trace(t, m, 1)
	var moved [][]optimize.Iteration
	for _, by := range []float64{-2e-13, -1e-13, 1e-13, 2e-13} {
		moved = append(moved, f.trace(t, m, 1+by))
	}
	for i, it := range exact {
		var e, scale float64
		var success bool
		for c, at := range []any{nil, &e, &success, &scale} {
			if c > 0 {
				if err := json.Unmarshal(f.SCG.Trace[i][c], at); err != nil {
					t.Fatal(err)
				}
			}
		}
		what := fmt.Sprintf("conjugate gradients, iteration %d", it.Number)
		if it.Success != success {
			t.Errorf("%s: success %v", what, it.Success)
		}
		tol := course
		for _, other := range moved {
			tol = max(tol, course+10*math.Abs(it.F-other[i].F)/math.Abs(it.F))
		}
		fixtures.CloseTo(t, what+": scale", it.Scale, scale, course)
		fixtures.CloseTo(t, what+": objective", it.F, e, tol)
		if want, ok := f.SCG.States[it.Number]; ok {
			at := f.point()
			at.set(it.X)
			want.close(t, what, at, -it.F, course)
		}
	}
}

func (f *fixture) trace(t *testing.T, m *Model, scale float64) (out []optimize.Iteration) {
	t.Helper()
	p := f.point()
	vec.Scale(scale, p.X.Data)
	_, err := m.Learn(context.Background(), p, optimize.Settings{Steps: len(f.SCG.Trace), Observe: func(it optimize.Iteration) bool {
		it.X = slices.Clone(it.X)
		out = append(out, it)
		return true
	}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (f *fixture) dualPPCA(t *testing.T) {
	m := f.model(t)
	check := func(what string, noise, wantNoise float64, want vec.Matrix[float64], wantLogLik float64) vec.Matrix[float64] {
		x, got, values, err := m.DualPPCA(f.Q, noise)
		if err != nil {
			t.Fatal(err)
		}
		fixtures.Close(t, what+": eigenvalues", values[:len(values)-1], f.Eigen[:len(values)-1], direct)
		fixtures.CloseTo(t, what+": noise", got, wantNoise, direct)
		xxt := vec.New[float64](x.Rows, x.Rows)
		for i := range x.Rows {
			for j := range x.Rows {
				xxt.Row(i)[j] = vec.Dot(x.Row(i), x.Row(j))
			}
		}
		fixtures.Close(t, what+": X X'", xxt.Data, want.Data, direct)
		v := &Value{Theta: make([]float64, 2), X: vec.New[float64](x.Rows, x.Cols)}
		if err := m.Evaluate(v, []float64{1, got}, x); err != nil {
			t.Fatal(err)
		}
		fixtures.CloseTo(t, what+": log-likelihood", v.LogLik, wantLogLik, direct)
		for i, g := range v.X.Data { // without the prior
			if g += x.Data[i]; math.Abs(g) > 1e-8 {
				t.Errorf("%s: gradient %g", what, g)
			}
		}
		return x
	}
	x := check("best noise", 0, f.BetaInv, f.XXt.Matrix, f.LogLik)
	if kl, err := m.divergence([]float64{1, f.BetaInv}, x); err != nil {
		t.Error(err)
	} else {
		fixtures.CloseTo(t, "divergence", kl, f.KL, direct)
	}
	check("fixed noise", f.Fixed.BetaInv, f.Fixed.BetaInv, f.Fixed.XXt.Matrix, f.Fixed.LogLik)
}

func (f *fixture) missing(t *testing.T) {
	for i := range f.Y.Rows {
		for j := range f.Y.Row(i) {
			if f.Obs.Row(i)[j] == 0 {
				f.Y.Row(i)[j] = math.NaN()
			}
		}
	}
	m := f.model(t)
	var mean []float64
	if err := json.Unmarshal(f.Mean, &mean); err != nil {
		t.Fatal(err)
	}
	fixtures.Close(t, "means", m.mean, mean, direct)
	v := &Value{Theta: make([]float64, len(f.Params)), X: vec.New[float64](f.X.Rows, f.X.Cols)}
	if err := m.Evaluate(v, f.Params, f.X.Matrix); err != nil {
		t.Fatal(err)
	}
	fixtures.CloseTo(t, "log-likelihood", v.LogLik, f.LogLik, direct)
	fixtures.CloseTo(t, "total", v.Total(), f.Total, direct)
	spd.Mirror(m.w, 1)
	fixtures.Close(t, "dL/dK", m.w.Data, f.DK.Data, slope)
	fixtures.Close(t, "gradient in parameters", v.Theta, f.GradP, slope)
	vec.Axpy(1, f.X.Data, v.X.Data)
	fixtures.Close(t, "gradient in X", v.X.Data, f.GradX.Data, slope)
	a, err := m.Predictor(f.Params, f.X.Matrix, Gaussian{})
	if err != nil {
		t.Fatal(err)
	}
	w, d := a.NewScratch(), m.Dim()
	pm, pv := make([]float64, d), make([]float64, d)
	for i := range f.X.Rows {
		a.Predict(pm, pv, f.X.Row(i), w)
		fixtures.Close(t, "posterior mean", pm, f.PosteriorMean.Row(i), slope)
		fixtures.Close(t, "predictive variance", pv, f.PosteriorVar.Row(i), slope)
	}
}

// divergence returns 1/2 ln|K| + 1/2 tr(K^-1 S) - N/2: KL(S || K) without ln|S|,
// S = Y Y'/D.
func (m *Model) divergence(theta []float64, x vec.Matrix[float64]) (float64, error) {
	m.last.ok = false // the factor overwrites the last one
	m.room()
	m.kernel.Lower(m.w, theta, kernel.NewPoints(x), m.threads)
	if err := spd.Factor(m.w, m.threads); err != nil {
		return 0, err
	}
	half := m.y.Clone()
	spd.HalfSolve(m.w, half, m.threads)
	return 0.5*spd.LogDet(m.w) + 0.5*vec.SquaredNorm(half.Data)/float64(m.y.Cols) - float64(m.y.Rows)/2, nil
}
