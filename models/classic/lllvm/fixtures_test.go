package lllvm

import (
	"fmt"
	"math"
	"testing"

	"unfold/internal/testkit/fixtures"
	"unfold/internal/vec"
)

// fixture has the fields of all files in testdata/fixtures/lllvm; the README.md there explains
// them.
type fixture struct {
	Kind       string         `json:"kind"`
	N          int            `json:"n"`
	Dy         int            `json:"dy"`
	Dx         int            `json:"dx"`
	Epsilon    float64        `json:"epsilon"`
	Gamma0     float64        `json:"gamma0"`
	Alpha0     float64        `json:"alpha0"`
	Gamma      scalars        `json:"gamma"`
	Alpha      scalars        `json:"alpha"`
	AlphaFixed *float64       `json:"alpha_fixed"`
	Y          fixtures.Dense `json:"Y"`
	G          fixtures.Dense `json:"G"`

	MuC0    fixtures.Dense `json:"mu_C0"`
	SigmaC0 fixtures.Dense `json:"Sigma_C0"`
	Graph   struct {
		L     fixtures.Dense `json:"L"`
		Eigen []float64      `json:"eigenvalues_L"`
		Pinv  fixtures.Dense `json:"L_pinv"`
	} `json:"graph"`
	First    statistics     `json:"first_iteration"`
	States   map[int]moment `json:"states"`
	Bounds20 [][4]float64   `json:"bounds_20"`
	Gamma20  float64        `json:"gamma_20"`
	Alpha20  float64        `json:"alpha_20"`

	Point struct {
		marginal
		X         []float64      `json:"x"`
		C         fixtures.Dense `json:"C"`
		A         fixtures.Dense `json:"A"`
		B         []float64      `json:"b"`
		Gamma     fixtures.Dense `json:"Gamma"`
		H         fixtures.Dense `json:"H"`
		YTe       float64        `json:"yTe"`
		ESe       float64        `json:"eSe"`
		LogLik    float64        `json:"loglik"`
		LogPriorX float64        `json:"logprior_x"`
		LogPriorC float64        `json:"logprior_C"`
	} `json:"point"`
	Gaussian struct {
		moment
		statistics
		Bound    *parts   `json:"bound"`
		DGamma   float64  `json:"dbound_dgamma"`
		DAlpha   float64  `json:"dbound_dalpha"`
		ArgGamma *float64 `json:"argmax_gamma"`
		ArgAlpha float64  `json:"argmax_alpha"`
	} `json:"gaussian_q"`
	OptimalX moment `json:"optimal_q_x_given_q_C"`
	OptimalC moment `json:"optimal_q_C_given_q_x"`

	Iters     int            `json:"iters"`
	Bound     []float64      `json:"bound"`
	Distances fixtures.Dense `json:"final_distance_matrix_mu_x"`
	MeanTrace float64        `json:"final_mean_trace_Sigma_x"`

	ExtraEdge [2]int `json:"extra_edge"`
	Results   map[string]struct {
		Bound []float64 `json:"bound"`
		Gamma float64   `json:"gamma"`
	} `json:"results"`

	MuX        []float64      `json:"mu_x"`
	SigmaX     fixtures.Dense `json:"Sigma_x"`
	MuC        fixtures.Dense `json:"mu_C"`
	SigmaC     fixtures.Dense `json:"Sigma_C"`
	YStar      []float64      `json:"y_star"`
	Neighbours []int32        `json:"neighbours"`
}

type statistics struct {
	EA     fixtures.Dense `json:"EA"`
	Eb     []float64      `json:"Eb"`
	EGamma fixtures.Dense `json:"EGamma"`
	EH     fixtures.Dense `json:"EH"`
	T      float64        `json:"gamma_T"`
	TH     float64        `json:"gamma_tH"`
	TL     float64        `json:"gamma_tL"`
}

type parts struct {
	Total  float64 `json:"total"`
	LogLik float64 `json:"loglik"`
	KLC    float64 `json:"negKL_C"`
	KLX    float64 `json:"negKL_x"`
}

type moment struct {
	MuX    []float64      `json:"mu_x"`
	SigmaX fixtures.Dense `json:"Sigma_x"`
	MuC    fixtures.Dense `json:"mu_C"`
	SigmaC fixtures.Dense `json:"Sigma_C"`
	Gamma  float64        `json:"gamma"`
	Alpha  float64        `json:"alpha"`
	Bound  *parts         `json:"bound"`
	AfterX *parts         `json:"bound_after_x"`
	AfterC *parts         `json:"bound_after_C"`
	AfterG *parts         `json:"bound_after_gamma"`
	AfterA *parts         `json:"bound_after_alpha"`

	MuXs    []float64      `json:"mu_xs"`
	SigmaXs fixtures.Dense `json:"Sigma_xs"`
	MuCs    fixtures.Dense `json:"mu_Cs"`
	SigmaCs fixtures.Dense `json:"Sigma_Cs"`
}

// scalars reads a number or a list of them.
type scalars []float64

const (
	direct = 1e-9
	after  = 1e-7
)

func (f *fixture) neighbors() [][]int32 {
	lists := make([][]int32, f.N)
	for i := range lists {
		for j, v := range f.G.Row(i) {
			if v != 0 {
				lists[i] = append(lists[i], int32(j))
			}
		}
	}
	return lists
}

func (f *fixture) model(t *testing.T, lists [][]int32) *Model {
	t.Helper()
	g, err := NewGraph(lists, 2)
	if err != nil {
		t.Fatal(err)
	}
	s := Settings{Dims: f.Dx, Epsilon: f.Epsilon, LearnAlpha: f.AlphaFixed == nil, Threads: 2}
	if f.AlphaFixed != nil {
		s.Alpha = *f.AlphaFixed
	}
	m, err := NewModel(g, vec.Transpose(f.Y.Matrix), s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// number converts the index of a latent coordinate. The files count by point, i d + r; the program
// counts by coordinate, r n + i.
func (f *fixture) number(k int) int { return k%f.Dx*f.N + k/f.Dx }

func (f *fixture) square(a vec.Matrix[float64]) vec.Matrix[float64] {
	out := vec.New[float64](a.Rows, a.Cols)
	for k := range a.Rows {
		for l := range a.Cols {
			out.Row(f.number(k))[f.number(l)] = a.Row(k)[l]
		}
	}
	return out
}

// maps converts the linear maps of a file, dy x nd, to the program's layout, nd x dy.
func (f *fixture) maps(c vec.Matrix[float64]) vec.Matrix[float64] {
	out := vec.New[float64](c.Cols, c.Rows)
	for k := range c.Cols {
		for a := range c.Rows {
			out.Row(f.number(k))[a] = c.Row(a)[k]
		}
	}
	return out
}

func (f *fixture) places(x []float64) vec.Matrix[float64] { return vec.Of(f.N, f.Dx, x) }

func closeBound(t *testing.T, what string, got Bound, want *parts, tol float64) {
	t.Helper()
	fixtures.CloseTo(t, what, got.Total(), want.Total, tol)
	scale := math.Abs(want.LogLik) + math.Abs(want.KLC) + math.Abs(want.KLX)
	for _, p := range []struct {
		part      string
		got, want float64
	}{{"log-likelihood", got.LogLik, want.LogLik}, {"KL of x", got.KLX, want.KLX}, {"KL of C", got.KLC, want.KLC}} {
		if !(math.Abs(p.got-p.want) <= tol*scale) {
			t.Errorf("%s, %s: %.12g, want %.12g", what, p.part, p.got, p.want)
		}
	}
}

func TestFixtures(t *testing.T) {
	fixtures.Each(t, "lllvm", func(t *testing.T, f *fixture) {
		switch f.Kind {
		case "em":
			f.em(t)
		case "statistics":
			f.statistics(t)
		case "long":
			f.long(t)
		case "shortcut":
			f.shortcut(t)
		case "out_of_sample":
			f.outOfSample(t)
		default:
			t.Fatalf("no test of kind %q", f.Kind)
		}
	})
}

func (f *fixture) em(t *testing.T) {
	m := f.model(t, f.neighbors())
	fixtures.Close(t, "eigenvalues of L", m.g.eigenvalues(), f.Graph.Eigen, direct)
	pinv := m.g.parts[0].inverse.Clone()
	for i := range pinv.Data {
		pinv.Data[i] -= 1 / float64(f.N)
	}
	fixtures.Close(t, "L^+", pinv.Data, f.Graph.Pinv.Data, direct)
	st, err := m.Start(f.maps(f.MuC0.Matrix), f.square(f.SigmaC0.Matrix), f.Gamma0, f.Alpha0)
	if err != nil {
		t.Fatal(err)
	}
	f.firstStatistics(t, m, st.Clone())
	for step := 1; step <= len(f.Bounds20); step++ {
		s, err := m.Step(st)
		if err != nil {
			t.Fatal(err)
		}
		got := []float64{s.X.Total(), s.C.Total(), s.Gamma.Total(), s.Alpha.Total()}
		fixtures.Close(t, fmt.Sprintf("bounds of iteration %d", step), got, f.Bounds20[step-1][:], after)
		want, ok := f.States[step]
		if !ok {
			continue
		}
		closeBound(t, "after x", s.X, want.AfterX, direct)
		closeBound(t, "after C", s.C, want.AfterC, direct)
		closeBound(t, "after gamma", s.Gamma, want.AfterG, direct)
		closeBound(t, "after alpha", s.Alpha, want.AfterA, direct)
		f.closeState(t, st, &want)
		fixtures.CloseTo(t, "gamma", st.Gamma, want.Gamma, direct)
		fixtures.CloseTo(t, "alpha", st.Alpha, want.Alpha, direct)
	}
	fixtures.CloseTo(t, "gamma after 20", st.Gamma, f.Gamma20, after)
	fixtures.CloseTo(t, "alpha after 20", st.Alpha, f.Alpha20, after)
}

func (f *fixture) closeState(t *testing.T, st *State, want *moment) {
	t.Helper()
	fixtures.Close(t, "mu_x", st.MuX.Data, want.MuX, direct)
	fixtures.Close(t, "Sigma_x", st.CovX.Fronts[0].Data, f.square(want.SigmaX.Matrix).Data, direct)
	fixtures.Close(t, "mu_C", st.MuC.Data, f.maps(want.MuC.Matrix).Data, direct)
	fixtures.Close(t, "Sigma_C", st.CovC.Fronts[0].Data, f.square(want.SigmaC.Matrix).Data, direct)
}

// firstStatistics compares the statistics of iteration 1.
func (f *fixture) firstStatistics(t *testing.T, m *Model, st *State) {
	f.closeA(t, m, st, f.First)
	if _, err := m.UpdateX(st); err != nil {
		t.Fatal(err)
	}
	f.closeGamma(t, m, st, f.First)
	if _, err := m.UpdateC(st); err != nil {
		t.Fatal(err)
	}
	fixtures.CloseTo(t, "T", st.t, f.First.T, direct)
	fixtures.CloseTo(t, "tr mu_C'H", st.th, f.First.TH, direct)
	fixtures.CloseTo(t, "tr L Y'Y", m.tl, f.First.TL, direct)
}

func (f *fixture) closeA(t *testing.T, m *Model, st *State, want statistics) {
	t.Helper()
	fixtures.Close(t, "<A>", lower(m.expectA(st)), lower(f.square(want.EA.Matrix)), direct)
	m.linearX(st)
	fixtures.Close(t, "<b>", byPoint(f, m.b.Data), want.Eb, direct)
}

func (f *fixture) closeGamma(t *testing.T, m *Model, st *State, want statistics) {
	t.Helper()
	fixtures.Close(t, "<Gamma>", lower(m.expectGamma(st)), lower(f.square(want.EGamma.Matrix)), direct)
	m.linearC(st)
	fixtures.Close(t, "<H>", m.h.Data, f.maps(want.EH.Matrix).Data, direct)
}

func (m *Model) expectA(st *State) vec.Matrix[float64] {
	a := m.g.tree.NewMatrix(m.set.Dims)
	m.blocks(a, func(part, r, s int) vec.Matrix[float64] { return m.momentsC(st, part, r, s) }, 1, st.Gamma/2, nil)
	return a.Fronts[0]
}

func (m *Model) expectGamma(st *State) vec.Matrix[float64] {
	a := m.g.tree.NewMatrix(m.set.Dims)
	m.blocks(a, func(part, r, s int) vec.Matrix[float64] { return m.momentsX(st, part, r, s) }, -1, st.Gamma/2, nil)
	return a.Fronts[0]
}

func lower(a vec.Matrix[float64]) (out []float64) {
	for i := range a.Rows {
		out = append(out, a.Row(i)[:i+1]...)
	}
	return out
}

func byPoint(f *fixture, x []float64) []float64 {
	out := make([]float64, len(x))
	for k := range x {
		out[k] = x[f.number(k)]
	}
	return out
}

func (f *fixture) long(t *testing.T) {
	m := f.model(t, f.neighbors())
	st := f.cosines(t, m)
	for step := range f.Iters {
		if _, err := m.Step(st); err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("iteration %d", step+1)
		fixtures.CloseTo(t, "bound of "+what, st.Bound.Total(), f.Bound[step], after)
		fixtures.CloseTo(t, "gamma of "+what, st.Gamma, f.Gamma[step], after)
		fixtures.CloseTo(t, "alpha of "+what, st.Alpha, f.Alpha[step], after)
	}
	worst := 0.0
	for i := range f.N {
		for j := range f.N {
			got := math.Sqrt(vec.SquaredDistance(st.MuX.Row(i), st.MuX.Row(j)))
			worst = max(worst, math.Abs(got-f.Distances.Row(i)[j]))
		}
	}
	if scale := 1e-5 + vec.SquaredNorm(f.Distances.Row(0)); !(worst <= after*scale) {
		t.Errorf("final distances differ by %g", worst)
	}
	trace, _ := m.norms(st)
	fixtures.CloseTo(t, "mean trace of Sigma_x", trace/float64(f.N), f.MeanTrace, after)
}

// cosines returns the starting state of the fixtures of kind long and shortcut.
func (f *fixture) cosines(t *testing.T, m *Model) *State {
	t.Helper()
	mu, cov := vec.New[float64](f.Dy, f.N*f.Dx), vec.New[float64](f.N*f.Dx, f.N*f.Dx)
	for k := range mu.Data {
		mu.Data[k] = math.Cos(float64(1 + k))
	}
	for k := range cov.Rows {
		cov.Row(k)[k] = 1
	}
	st, err := m.Start(f.maps(mu), cov, f.Gamma0, f.Alpha0)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func (f *fixture) shortcut(t *testing.T) {
	for name, want := range f.Results {
		lists := f.neighbors()
		if name == "with" {
			lists[f.ExtraEdge[0]] = append(lists[f.ExtraEdge[0]], int32(f.ExtraEdge[1]))
		}
		m := f.model(t, lists)
		st := f.cosines(t, m)
		for step := range f.Iters {
			if _, err := m.Step(st); err != nil {
				t.Fatal(err)
			}
			fixtures.CloseTo(t, fmt.Sprintf("%s the edge, bound of iteration %d", name, step+1), st.Bound.Total(), want.Bound[step], after)
		}
		fixtures.CloseTo(t, name+" the edge, gamma", st.Gamma, want.Gamma, after)
	}
}
