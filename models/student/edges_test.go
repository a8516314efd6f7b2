package student

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"unfold/coarse/farfield"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/models/prior"
	"unfold/models/score"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// TestModelDefaults: what zero fields stand for, by the number of points and dimensions.
func TestModelDefaults(t *testing.T) {
	for _, c := range []struct {
		n, d   int
		edges  float64
		single bool
		set    ModelSettings
		want   ModelSettings
	}{
		{100_000, 2, 1e6, false, ModelSettings{}, ModelSettings{Tail: 1, Weight: 0.086, Majoriser: Far, Damping: 0.005, Momentum: 0.9, Tolerance: 0.1, Sweeps: 12, Steps: 80, Phases: [3]int{20, 40, 20}, Lag: 1, Ratio: 5, Check: 10}},
		{100_000, 3, 1e6, true, ModelSettings{}, ModelSettings{Tail: 1.5, Weight: 0.086, Majoriser: Force, Damping: 1, Momentum: 0.9, Tolerance: 0.1, Sweeps: 20, Steps: 80, Phases: [3]int{20, 40, 20}, Lag: 1, Ratio: 5, Check: 10}},
		{100_000, 3, 1e6, false, ModelSettings{}, ModelSettings{Tail: 1.5, Weight: 0.086, Majoriser: Force, Damping: 1, Momentum: 0.9, Tolerance: 0.1, Sweeps: 12, Steps: 80, Phases: [3]int{20, 40, 20}, Lag: 1, Ratio: 5, Check: 10}},
		{100_000, 4, 1e6, false, ModelSettings{NoMomentum: true, Steps: -1}, ModelSettings{Tail: 2, Weight: 0.086, Majoriser: Force, Damping: 1, NoMomentum: true, Tolerance: 0.1, Sweeps: 6, Steps: -1, Lag: 1, Ratio: 5, Check: 10}},
		{100_000, 2, 1e6, false, ModelSettings{Majoriser: Local, Phases: [3]int{1, 2, 3}}, ModelSettings{Tail: 1, Weight: 0.086, Majoriser: Local, Damping: 0.01, Momentum: 0.9, Tolerance: 0.1, Sweeps: 12, Steps: 80, Phases: [3]int{1, 2, 3}, Lag: 1, Ratio: 5, Check: 10}},
		{100_000, 2, 1e6, false, ModelSettings{Tail: 2, Weight: 3, Sweeps: 1, Lag: 4, Ratio: 7, Check: -1, Momentum: 0.5, Tolerance: 0.2, Steps: 4},
			ModelSettings{Tail: 2, Weight: 3, Majoriser: Force, Damping: 1, Momentum: 0.5, Tolerance: 0.2, Sweeps: 1, Steps: 4, Phases: [3]int{1, 2, 1}, Lag: 4, Ratio: 7, Check: -1}},
		{100_000, 2, 1e6, false, ModelSettings{Majoriser: EM, Damping: 0.5, Steps: 4}, ModelSettings{Tail: 1, Weight: 0.086, Majoriser: EM, Damping: 0.5, Momentum: 0.9, Tolerance: 0.1, Sweeps: 12, Steps: 4, Phases: [3]int{1, 2, 1}, Lag: 1, Ratio: 5, Check: 10}},
	} {
		if got, err := c.set.withDefaults(c.n, c.d, c.edges, c.single); err != nil || got != c.want {
			t.Errorf("%+v become\n%+v, want\n%+v (%v)", c.set, got, c.want, err)
		}
	}
	for want, set := range map[string]ModelSettings{
		"tail is -1": {Tail: -1}, "weight is -1": {Weight: -1}, "weight is +Inf": {Weight: math.Inf(1)}, "damping is -1": {Damping: -1}, "damping is +Inf": {Damping: math.Inf(1)},
		"ratio is -1": {Ratio: -1}, "momentum is 1,": {Momentum: 1}, "momentum is -0.1": {Momentum: -0.1}, "tolerance is 1,": {Tolerance: 1}, "tolerance is -1": {Tolerance: -1},
		"floor is -1": {Floor: -1}, "floor is +Inf": {Floor: math.Inf(1)}, "floor is NaN": {Floor: math.NaN()}, "gain is 1,": {Gain: 1}, "gain is -1": {Gain: -1},
		"last 2 steps": {Gain: 1e-9, Average: 2}, "majoriser -1": {Majoriser: -1}, "majoriser 6": {Majoriser: Force + 1}, "sigma setting -1": {Sigma: -1}, "sigma setting 3": {Sigma: Free + 1},
		"phases are [-1 0 0]": {Phases: [3]int{-1, 0, 0}}, "phases are [0 -1 0]": {Phases: [3]int{0, -1, 0}}, "phases are [0 0 -1]": {Phases: [3]int{0, 0, -1}}, "lag is -1": {Lag: -1},
		"d = 2, a = 3: use": {Majoriser: Far, Tail: 3},
	} {
		if _, err := set.withDefaults(100, 2, 500, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", set, err, want)
		}
	}
	for _, m := range []Majoriser{Global, Local, Far} {
		if _, err := (ModelSettings{Majoriser: m}).withDefaults(100, 3, 500, false); err == nil {
			t.Errorf("majoriser %d is taken in space", m)
		}
	}
	for _, set := range []ModelSettings{{Gain: 0.999, Average: 1}, {Average: 5}, {Floor: 0.1, Momentum: 0.999, Tolerance: 0.999, Sigma: Free, Majoriser: Force}, {Majoriser: EM, Tail: 3}} {
		if _, err := set.withDefaults(100, 2, 500, false); err != nil {
			t.Errorf("%+v: %v", set, err)
		}
	}
	if _, err := (ModelSettings{Tail: 1}).withDefaults(100, 0, 500, false); err == nil || !strings.Contains(err.Error(), "dims is 0") {
		t.Errorf("no dimensions: %v", err)
	}
}

// TestNumbersByPoints: defaults that the number of points decides, at their edges.
func TestNumbersByPoints(t *testing.T) {
	for _, c := range []struct{ n, d, want int }{
		{0, 2, 200}, {1, 2, 200}, {20_000, 2, 200}, {25_000, 2, 160}, {50_000, 2, 80}, {1e6, 2, 80}, {1e6, 3, 80}, {1e6, 4, 50}, {30_000, 4, 100}, {30_000, 3, 133}, {10, 4, 200},
	} {
		if got := Steps(c.n, c.d); got != c.want {
			t.Errorf("%d points in %d dimensions: %d steps, want %d", c.n, c.d, got, c.want)
		}
	}
	for _, c := range []struct {
		n           int
		edges, want float64
	}{{1, 5, 0.086}, {2, 2, 1}, {100, 9.9, 0.1}, {100, 1e6, 1}, {1e6, 8e6, 0.086}} {
		if got := Weight(c.n, c.edges); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d points with %v edges: a weight of %v, want %v", c.n, c.edges, got, c.want)
		}
	}
	for c, want := range map[float64]float64{0.01: 0.005, DefaultWeight: 0.005, 2 * DefaultWeight: 0.01, 9: 0.02} {
		if got := farDamping(c); math.Abs(got-want) > 1e-12 {
			t.Errorf("a weight of %v is damped by %v, want %v", c, got, want)
		}
	}
	if f := ofMany(30_000); f != 1 || ofMany(10) != 1 || math.Abs(ofMany(120_000)-0.125) > 1e-12 {
		t.Errorf("weights of many points: %v, %v, %v", f, ofMany(10), ofMany(120_000))
	}
	s, err := Settings{}.WithDefaults()
	if err != nil {
		t.Fatal(err)
	}
	with := func(change func(s *Settings)) Settings {
		out := s
		change(&out)
		return out
	}
	for _, c := range []struct {
		name                 string
		s                    Settings
		n                    int
		coarse               models.Coarse
		steps, sample, reach int
	}{
		{"few", s, farfield.ExactBelow - 1, models.CoarseAll, 200, 0, 56},
		{"more", s, farfield.ExactBelow, models.CoarseMap, 200, 0, 56},
		{"a hundred", s, 100, models.CoarseAll, 200, 0, 10},
		{"below a sample", s, 99_999, models.CoarseMap, 80, 0, 56},
		{"a sample", s, 100_000, models.CoarseMap, 60, 10_000, 56},
		{"a sample, steps given", with(func(s *Settings) { s.Steps = 7 }), 100_000, models.CoarseMap, 7, 10_000, 56},
		{"no steps", with(func(s *Settings) { s.Steps = -3 }), 500, models.CoarseAll, 0, 0, 50},
		{"thorough", with(func(s *Settings) { s.Thorough = true }), 50_000, models.CoarseMap, 200, 0, 56},
		{"thorough sample", with(func(s *Settings) { s.Thorough = true }), 100_000, models.CoarseMap, 150, 10_000, 56},
		{"a frame", with(func(s *Settings) { s.Prior.Frame = prior.PCA }), 100_000, models.CoarseMap, 80, 0, 56},
		{"given neighbours", with(func(s *Settings) { s.Given = &knn.Given{} }), 100_000, models.CoarseMap, 80, 0, 56},
		{"a graph", with(func(s *Settings) { s.Paths = &graph.Paths{} }), 100_000, models.CoarseMap, 80, 0, 56},
		{"four dimensions", with(func(s *Settings) { s.Dims = 4 }), 100_000, models.CoarseShared, 50, 0, 56},
		{"three dimensions", with(func(s *Settings) { s.Dims = 3 }), 100_000, models.CoarseMap, 60, 10_000, 56},
		{"anchors", with(func(s *Settings) { s.Coarse = models.CoarseAnchors }), 100_000, models.CoarseAnchors, 80, 0, 56},
		{"anchors of few", with(func(s *Settings) { s.Coarse = models.CoarseAnchors }), 1000, models.CoarseAll, 200, 0, 56},
		{"no reach", with(func(s *Settings) { s.Reach = -1 }), 1000, models.CoarseAll, 200, 0, 0},
		{"a reach", with(func(s *Settings) { s.Reach = 300 }), 1000, models.CoarseAll, 200, 0, 300},
		{"all of reach", with(func(s *Settings) { s.Reach = 300 }), 100, models.CoarseAll, 200, 0, 99},
	} {
		if c.s.coarse(c.n) != c.coarse || c.s.steps(c.n) != c.steps || c.s.SampleOf(c.n) != c.sample || c.s.reach(c.n) != c.reach {
			t.Errorf("%s: coarse %v, %d steps, a sample of %d, reach %d, want %v, %d, %d, %d", c.name, c.s.coarse(c.n), c.s.steps(c.n), c.s.SampleOf(c.n), c.s.reach(c.n), c.coarse, c.steps, c.sample, c.reach)
		}
		out := c.s.Outline(c.n)
		if theta := map[bool]float64{true: c.s.theta(c.n)}[c.coarse == models.CoarseMap]; out.Coarse != c.coarse || out.Steps != c.steps || out.Theta != theta || out.Neighbors != 8 {
			t.Errorf("%s: outline %+v", c.name, out)
		}
	}
	for _, c := range []struct {
		s    Settings
		n    int
		want int
	}{
		{Settings{}, 1000, 56}, {Settings{}, 30_000, 56}, {Settings{}, 30_001, 8}, {with(func(s *Settings) { s.Lists = 20 }), 30_001, 20}, {with(func(s *Settings) { s.Lists = 99 }), 1000, 99},
		{with(func(s *Settings) { s.Paths = &graph.Paths{} }), 30_001, 56}, {Settings{Options: Options{Reach: -1}}, 1000, 8},
	} {
		if got := c.s.SearchLists(c.n); got != c.want {
			t.Errorf("%d points: lists of %d, want %d", c.n, got, c.want)
		}
	}
	for _, c := range []struct {
		n, edges, reach int
	}{{1000, 16, 56}, {30_000, 10, 56}, {30_001, 3, 56}, {20, 0, 2}, {90, 1, 9}} {
		if edges, reach := (Settings{}).FurtherEdges(c.n); edges != c.edges || reach != c.reach {
			t.Errorf("%d points: %d further edges up to %d, want %+v", c.n, edges, reach, c)
		}
	}
	f := ofMany(50_000)
	for _, c := range []struct {
		n    int
		s    Settings
		want prior.Schedule
	}{{1000, s, prior.Schedule{From: 0.1, To: 1.8e-3}}, {50_000, s, prior.Schedule{From: 0.1 * f * f, To: 1.8e-3 * f}}, {200_000, s, prior.Schedule{From: 0.1, To: 1.8e-3 * ofMany(200_000)}},
		{1000, with(func(s *Settings) { s.Prior.Schedule = prior.Schedule{From: 3, To: 2} }), prior.Schedule{From: 3, To: 2}}} {
		if got := c.s.fall(c.n); math.Abs(got.From-c.want.From) > 1e-12 || math.Abs(got.To-c.want.To) > 1e-12 {
			t.Errorf("%d points: a prior of %+v, want %+v", c.n, got, c.want)
		}
	}
	for _, c := range []struct {
		d, n     int
		thorough bool
		own      float64
		want     float64
	}{{1, 100, false, 0, 0.1}, {2, 29_999, false, 0, 0.2}, {3, 100, false, 0, 0.4}, {7, 100, false, 0, 0.4}, {2, 30_000, false, 0, farfield.DefaultTheta(2)}, {2, 30_000, true, 0, 0.2}, {2, 100, true, 0.7, 0.7}} {
		th := with(func(s *Settings) { s.Dims, s.Thorough, s.Theta = c.d, c.thorough, c.own })
		if got := th.theta(c.n); got != c.want {
			t.Errorf("%+v: theta %v", c, got)
		}
	}
}

// TestSettingsRefused: what a fit refuses, by the setting's name, and the last values that it takes.
func TestSettingsRefused(t *testing.T) {
	o := func(change func(s *Settings)) Settings {
		var s Settings
		change(&s)
		return s
	}
	for _, c := range []struct {
		s    Settings
		want string
	}{
		{o(func(s *Settings) { s.Momentum = 1 }), "momentum"}, {o(func(s *Settings) { s.Momentum = -0.1 }), "momentum"}, {o(func(s *Settings) { s.Momentum = 0.999 }), ""},
		{o(func(s *Settings) { s.Momentum, s.NoMomentum = 5, true }), ""}, {o(func(s *Settings) { s.Tolerance = 1 }), "tolerance"}, {o(func(s *Settings) { s.Tolerance = -0.1 }), "tolerance"},
		{o(func(s *Settings) { s.Gain = 1 }), "gain"}, {o(func(s *Settings) { s.Gain = 0.99 }), ""}, {o(func(s *Settings) { s.Dims = MostDims }), ""}, {o(func(s *Settings) { s.Dims = MostDims + 1 }), "dims"},
		{o(func(s *Settings) { s.Tail = -1 }), "tail"}, {o(func(s *Settings) { s.Tail = math.Inf(1) }), "tail"}, {o(func(s *Settings) { s.Weight = -1 }), "weight"}, {o(func(s *Settings) { s.Weight = math.Inf(1) }), "weight"},
		{o(func(s *Settings) { s.Sigma2 = -1 }), "sigma2"}, {o(func(s *Settings) { s.Sigma2 = 1e-9 }), ""}, {o(func(s *Settings) { s.Further.From = -1 }), "further"}, {o(func(s *Settings) { s.Further.To = -1 }), "further"},
		{o(func(s *Settings) { s.Further = FurtherWeight{most, most} }), ""}, {o(func(s *Settings) { s.Further.From = 2 * most }), "further"}, {o(func(s *Settings) { s.Further.To = 2 * most }), "further"},
		{o(func(s *Settings) { s.RankDecay = mostRankDecay }), ""}, {o(func(s *Settings) { s.RankDecay = mostRankDecay + 1 }), "rank decay"}, {o(func(s *Settings) { s.RankDecay = -3 }), ""},
		{o(func(s *Settings) { s.Density = mostDensity }), ""}, {o(func(s *Settings) { s.Density = mostDensity + 0.1 }), "density"}, {o(func(s *Settings) { s.Density = -1 }), "density"},
		{o(func(s *Settings) { s.Density, s.Scales = 1, Unit }), "density"}, {o(func(s *Settings) { s.Scales = Unit }), ""}, {o(func(s *Settings) { s.Scales = Unclipped }), "scales"}, {o(func(s *Settings) { s.Scales = -1 }), "scales"},
		{o(func(s *Settings) { s.Sigma = Free }), ""}, {o(func(s *Settings) { s.Sigma = Free + 1 }), "sigma"}, {o(func(s *Settings) { s.Supervision = 1 }), ""}, {o(func(s *Settings) { s.Supervision = 1.1 }), "supervision"},
		{o(func(s *Settings) { s.Supervision = -0.1 }), "supervision"}, {o(func(s *Settings) { s.Theta = 1 }), ""}, {o(func(s *Settings) { s.Theta = 1.1 }), "theta"}, {o(func(s *Settings) { s.Theta = -1 }), "theta"},
		{o(func(s *Settings) { s.Theta, s.Dims = 0.5, 4 }), "theta"}, {o(func(s *Settings) { s.Theta, s.Dims = 0.5, 3 }), ""}, {o(func(s *Settings) { s.Theta, s.Coarse = 0.5, models.CoarseAnchors }), "theta"},
		{o(func(s *Settings) { s.Theta, s.Coarse = 0.5, models.CoarseMap }), ""}, {o(func(s *Settings) { s.Coarse, s.Dims = models.CoarseMap, 3 }), ""}, {o(func(s *Settings) { s.Coarse, s.Dims = models.CoarseMap, 4 }), "coarse"}, {o(func(s *Settings) { s.Coarse = models.CoarseInput }), "coarse"},
		{o(func(s *Settings) { s.Coarse = -1 }), "coarse"}, {o(func(s *Settings) { s.Gain, s.Dims = 0.1, 4 }), "gain"}, {o(func(s *Settings) { s.Gain, s.Dims, s.Coarse = 0.1, 4, models.CoarseAll }), ""},
		{o(func(s *Settings) { s.Gain, s.Coarse = 0.1, models.CoarseShared }), "gain"}, {o(func(s *Settings) { s.Gain, s.Dims = -1, 4 }), ""}, {o(func(s *Settings) { s.Neighbors = -1 }), "neighbors"},
		{o(func(s *Settings) { s.Dims = -1 }), "dims"},
	} {
		err := c.s.Check()
		var wrong *models.SettingError
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &wrong) || wrong.Name != c.want) {
			t.Errorf("%+v: %v, want %q", c.s.Options, err, c.want)
		}
	}
	s, err := Settings{}.WithDefaults()
	if err != nil || s.Dims != 2 || s.Neighbors != 8 || s.Lists != 8 || s.Momentum != 0.9 || s.Tolerance != 0.1 || s.Tail != 1 || s.RankDecay != DefaultRankDecay {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestRefinementRefused: what a refinement refuses, and the last values that it takes.
func TestRefinementRefused(t *testing.T) {
	nan := math.NaN()
	for _, r := range []Refinement{{Steps: -1}, {Ramp: -1}, {Momentum: 1}, {Momentum: -0.1}, {Momentum: nan}, {Anchor: -1}, {Anchor: math.Inf(1)}, {Anchor: nan},
		{Ratio: 0.99}, {Ratio: 2e6}, {Ratio: nan}, {Reach: 0.99}, {Reach: 2e6}, {Reach: nan}, {Ratio: -1}, {Reach: -1}} {
		if r.check() == nil {
			t.Errorf("%+v is taken", r)
		}
	}
	for _, r := range []Refinement{{}, {Ratio: 1, Reach: 1}, {Ratio: most, Reach: most, Momentum: 0.999, Anchor: 1e300, Steps: 3, Ramp: 9}} {
		if err := r.check(); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// TestFurtherWeightEnds: at and after the end a further edge has its last weight to the bit.
func TestFurtherWeightEnds(t *testing.T) {
	w := FurtherWeight{From: 0.3, To: 0.1}
	if w.At(1) != 0.1 || w.At(2) != 0.1 || w.At(0) != 0.3 {
		t.Errorf("%v, %v, %v", w.At(1), w.At(2), w.At(0))
	}
	if w := (FurtherWeight{From: 0.99, To: 0.1}); w.At(1) != 0.1 {
		t.Errorf("%v at the end", w.At(1))
	}
	if got := (Settings{Options: Options{Further: w}}).further(100, 3); got != w {
		t.Errorf("%+v", got)
	}
	if got := (Settings{}).further(100, 16); math.Abs(got.From-0.3) > 1e-12 || math.Abs(got.To-0.08) > 1e-12 {
		t.Errorf("%+v", got)
	}
}

// TestStrides: the share of the likelihood that every stride-th point has is that of its pairs, half of
// each, in every dimension and for tails of their own.
func TestStrides(t *testing.T) {
	for _, c := range []struct {
		d    int
		tail float64
	}{{1, 0}, {2, 0}, {2, 2}, {3, 0}, {4, 0}, {5, 1}} {
		const n = 150
		p := NewProblem(neighbors(t, normal(n, 3, 1), 5), 5, Native)
		p.Field = farfield.NewAll(p.Bandwidth2, c.d)
		m, err := NewModel(p, c.d, ModelSettings{Tail: c.tail})
		if err != nil {
			t.Fatal(err)
		}
		st := scattered(n, c.d, 2, Free, 4)
		m.move(st)
		for _, stride := range []int{1, 2, 7, 149, 150, 151} {
			var similar, dissimilar float64
			for i := 0; i < n; i += stride {
				for j := range n {
					if i == j {
						continue
					}
					pair := Pair{Sigma2I: st.Sigma2[i], Sigma2J: st.Sigma2[j], Dist2: vec.SquaredDistance(st.Mu.Row(i), st.Mu.Row(j)), Dims: c.d, Tail: m.s.Tail}
					for _, pair.Scale2 = range []float64{p.Bandwidth2[i], p.Bandwidth2[j]} {
						dissimilar += m.s.Weight * pair.LogOther() / 2
					}
					if at := p.Similar.Find(i, int32(j)); at >= 0 {
						pair.Scale2 = p.delta2.at(at)
						similar += p.weights.at(at) / 2 * pair.LogProb()
					}
				}
			}
			gotS, gotD := m.logLikelihoods(st, stride)
			if math.Abs(gotS-similar) > 1e-9*math.Abs(similar) || math.Abs(gotD-dissimilar) > 1e-9*math.Abs(dissimilar) {
				t.Errorf("d = %d, stride %d: %v and %v, want %v and %v", c.d, stride, gotS, gotD, similar, dissimilar)
			}
		}
	}
}

// wide is a field that shows the model as many points as it has, without a sweep of all pairs.
type wide struct {
	n      int
	random bool
}

func (w wide) Move(int, vec.Matrix[float64], []float64) {}
func (w wide) Sweep(int, func(*farfield.Batch))         {}
func (w wide) Pairs() int64                             { return 0 }
func (w wide) Bytes() int64                             { return 0 }
func (w wide) Random() bool                             { return w.random }

// TestExtrapolated: likelihoods that are reported of many points are those of evenly chosen ones, times
// how many there are of each.
func TestExtrapolated(t *testing.T) {
	for _, n := range []int{2*reported - 1, 2 * reported, 3*watched + 1} {
		nb := knn.NewNeighbors(n, 1)
		for i := range n {
			index, dist2 := nb.Row(i)
			index[0], dist2[0] = int32(i^1), 1
			if i^1 >= n {
				index[0] = 0
			}
		}
		p := NewProblem(nb, 1, Native)
		p.Field = wide{n, true}
		m, err := NewModel(p, 2, ModelSettings{})
		if err != nil {
			t.Fatal(err)
		}
		st := scattered(n, 2, 1, Fixed, 3)
		want := func(most int) float64 {
			stride, count := max(1, n/most), 0
			for i := 0; i < n; i += stride {
				count++
			}
			sum, _ := m.logLikelihoods(st, stride)
			return sum * float64(n) / float64(count)
		}
		if got := m.sampled(st); math.Abs(got-want(reported)) > 1e-9*math.Abs(got) {
			t.Errorf("%d points: %v, want %v", n, got, want(reported))
		}
		if got := m.reported(st); math.Abs(got-want(watched)) > 1e-9*math.Abs(got) {
			t.Errorf("%d points of a random field: %v, want %v", n, got, want(watched))
		}
		p.Field = wide{n, false}
		if got := m.reported(st); math.Abs(got-want(n)) > 1e-9*math.Abs(got) {
			t.Errorf("%d points: %v, want %v", n, got, want(n))
		}
	}
}

// TestLooks: the guard looks at equal weights only, every so many steps, where a comparison will follow.
func TestLooks(t *testing.T) {
	p := NewProblem(neighbors(t, normal(40, 3, 1), 5), 5, Native)
	p.Field = farfield.NewAll(p.Bandwidth2, 2)
	m, err := NewModel(p, 2, ModelSettings{Phases: [3]int{5, 4, 8}, Check: 3, Damping: 0.1, Gain: 0})
	if err != nil {
		t.Fatal(err)
	}
	good, bad := scattered(40, 2, 1, Fixed, 3), scattered(40, 2, 1, Fixed, 3)
	vec.Scale(40, bad.Mu.Data)
	m.prior.Fit(good.Mu)
	g := m.newGuard()
	looked := func(st *State, t int) bool {
		m.weigh(m.weightsAt(t))
		m.move(st)
		before := g.loglik
		g.look(m, st, t, 17)
		return g.loglik != before
	}
	// The first five steps and the last nine have weights of their own, those between change.
	var steps []int
	for step := range 17 {
		vec.Scale(1.001, good.Mu.Data) // so that every look sees another likelihood
		if looked(good, step) {
			steps = append(steps, step)
		}
	}
	if want := []int{0, 3, 8, 11, 14}; !slices.Equal(steps, want) {
		t.Errorf("looks at %v, want %v", steps, want)
	}
	// A fall raises damping fourfold up to 1, and is counted; hardly any change is none.
	g = m.newGuard()
	m.Reset()
	g.every, g.wait = 1, 0
	looked(good, 10)
	for k, want := range []float64{0.4, 1, 1} {
		m.velocity.Data[0] = 1
		vec.Scale(1.5, bad.Mu.Data)
		looked(bad, 10)
		if m.s.Damping != want || g.falls != k+1 || m.velocity.Data[0] != 0 || g.still {
			t.Errorf("fall %d: damping %v, %d falls, velocity %v", k, m.s.Damping, g.falls, m.velocity.Data[0])
		}
	}
	m.s.Majoriser = Force
	vec.Scale(1.5, bad.Mu.Data)
	if looked(bad, 10); m.s.Damping != 4 || m.mostDamping() != 64 {
		t.Errorf("damping %v, at most %v", m.s.Damping, m.mostDamping())
	}
	m.s.Damping = 100
	vec.Scale(1.5, bad.Mu.Data)
	if looked(bad, 10); m.s.Damping != 100 {
		t.Errorf("damping falls to %v", m.s.Damping)
	}
	falls := g.falls
	g.look(m, bad, 10, 17) // the same again
	if g.falls != falls || g.still {
		t.Errorf("%d falls, still %v, of no change and no gain", g.falls-falls, g.still)
	}
	m.s.Gain = 1e-9
	if g.look(m, bad, 10, 17); !g.still || g.falls != falls {
		t.Error("no change is not seen as still")
	}
	if g.every = -1; g.every < 0 {
		if g.look(m, bad, 10, 17); g.still {
			t.Error("without looks it is still")
		}
	}
	p.Field = wide{40, true}
	if m.newGuard().every != -1 {
		t.Error("a random field is looked at")
	}
}

// TestMeans: the mean is that of the last states, of as many as there were.
func TestMeans(t *testing.T) {
	p := NewProblem(neighbors(t, normal(10, 3, 1), 3), 3, Native)
	for _, c := range []struct {
		average, steps int
		random         bool
		from           int
	}{{0, 20, false, 20}, {0, 20, true, 10}, {0, 4, true, 0}, {3, 20, false, 17}, {1, 20, false, 20}, {2, 20, false, 18}, {-1, 20, true, 20}, {5, 20, true, 15}} {
		p.Field = wide{10, c.random}
		m, err := NewModel(p, 2, ModelSettings{Average: c.average})
		if err != nil {
			t.Fatal(err)
		}
		a, want, count := m.newMean(c.steps), make([]float64, 20), 0.0
		var st *State
		for step := range c.steps {
			st = scattered(10, 2, 1, Fixed, uint64(step))
			if a.add(step, st); step >= c.from {
				count++
				for k, v := range st.Mu.Data {
					want[k] += v
				}
			}
		}
		if count == 0 {
			count, want = 1, slices.Clone(st.Mu.Data)
		}
		a.take(st)
		for k, v := range st.Mu.Data {
			if math.Abs(v-want[k]/count) > 1e-12 {
				t.Fatalf("%+v: entry %d is %v, want %v", c, k, v, want[k]/count)
			}
		}
	}
	p.Field = wide{10, true}
	m, err := NewModel(p, 2, ModelSettings{})
	if err != nil {
		t.Fatal(err)
	}
	st := scattered(10, 2, 1, Fixed, 1)
	before := slices.Clone(st.Mu.Data)
	if m.newMean(0).take(st); !slices.Equal(st.Mu.Data, before) { // no step, no mean
		t.Error("the mean of no states is one")
	}
}

// TestSums: sums of any length, and logarithms of products that leave the number range.
func TestSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n := rapid.IntRange(0, 23).Draw(t, "n")
		a, b := make([]float64, n), make([]float64, n)
		x := &tile{}
		x.V, x.W = make([]float64, n), make([]float64, n)
		var products, sum, logs float64
		for k := range a {
			a[k], b[k] = r.NormFloat64(), r.NormFloat64()
			products += a[k] * b[k]
			sum += a[k]
			x.V[k], x.W[k] = math.Exp(-200*r.Float64()*r.Float64()), float64(1+r.IntN(2))
			if r.IntN(5) == 0 {
				x.V[k] = 1
			}
			logs += x.W[k] * math.Log(x.V[k])
		}
		if math.Abs(dot(a, b)-products) > 1e-12 || math.Abs(total(a)-sum) > 1e-12 || math.Abs(x.logs()-logs) > 1e-9*max(1, math.Abs(logs)) {
			t.Fatalf("%d: %v, %v, %v, want %v, %v, %v", n, dot(a, b), total(a), x.logs(), products, sum, logs)
		}
	})
	b := &farfield.Batch{}
	if w := workspace(b, 5); len(w) != 5 || cap(b.Work) < 5 {
		t.Errorf("%d values", len(w))
	}
	w := workspace(b, 5)
	if w[0] = 7; workspace(b, 3)[0] != 7 || len(workspace(b, 3)) != 3 || len(workspace(b, 9)) != 9 {
		t.Error("the memory is not used again, or too short")
	}
}

// TestOrders: what is taken in an order comes back; points without one stay.
func TestOrders(t *testing.T) {
	o := order{2, 0, 3, 1}
	v := []string{"a", "b", "c", "d"}
	if got := take(v, o); !slices.Equal(got, []string{"c", "a", "d", "b"}) || !slices.Equal(take(got, o.back()), v) {
		t.Errorf("%v", got)
	}
	m := vec.Of(4, 1, []float64{1, 2, 3, 4})
	if got := takeRows(m, o); !slices.Equal(got.Data, []float64{3, 1, 4, 2}) || !slices.Equal(takeRows(got, o.back()).Data, m.Data) {
		t.Errorf("%v", got)
	}
	if order(nil).back() != nil || take([]string(nil), o) != nil || !slices.Equal(take(v, nil), v) || takeRows(m, nil).Rows != 4 || takeRows(vec.Matrix[float64]{}, o).Rows != 0 {
		t.Error("no order is one")
	}
	nb := knn.NewNeighbors(orderedPoints-1, 1)
	if newOrder(nb, 1) != nil {
		t.Error("few points have an order")
	}
	nb = knn.NewNeighbors(orderedPoints, 1)
	if len(newOrder(nb, 1)) != orderedPoints {
		t.Error("many points have none")
	}
}

// TestBytesOfLengths: in which precision lengths are, and what they take.
func TestBytesOfLengths(t *testing.T) {
	if SingleLengths(singlePoints-1) || !SingleLengths(singlePoints) || LengthBytes(singlePoints-1) != 8 || LengthBytes(singlePoints) != 4 {
		t.Error("the precision changes at another number of points")
	}
	for d, want := range map[int]bool{1: false, 2: true, 3: true, 4: false} {
		if SingleSystem(singlePoints, d) != want || SingleSystem(10, d) {
			t.Errorf("d = %d: systems in single precision: %v", d, !want)
		}
	}
	for _, single := range []bool{false, true} {
		l := newPairLengths(single, 3)
		l.set(1, 0.1)
		if want := map[bool]float64{false: 0.1, true: float64(float32(0.1))}[single]; l.at(1) != want || l.entries() != 3 || l.bytes() != map[bool]int64{false: 24, true: 12}[single] {
			t.Errorf("%v of %d in %d bytes", l.at(1), l.entries(), l.bytes())
		}
	}
}

// TestUnits: the median length, its mean where that is 0, and 1 where there is none.
func TestUnitsOfLists(t *testing.T) {
	lists := func(dist2 ...float64) *knn.Neighbors {
		return &knn.Neighbors{N: len(dist2) / 2, K: 2, Index: make([]int32, len(dist2)), Dist2: dist2}
	}
	for _, c := range []struct {
		s    Scales
		nb   *knn.Neighbors
		k    int
		want float64
	}{
		{Native, lists(1, 9, 3, 9, 5, 9), 1, 3}, {Native, lists(1, 2, 3, 4), 2, 2.5}, {Native, lists(0, 0, 0, 8), 2, 2}, {Native, lists(0, 0, 0, 0), 2, 1}, {Native, lists(), 2, 1},
		{Unit, lists(1, 9, 3, 9), 1, 1}, {Unclipped, lists(4, 9, 4, 9), 1, 4}, {Native, lists(4, 9), 0, 1},
	} {
		if got := c.s.Unit(c.nb, c.k); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v of %v: %v, want %v", c.s, c.nb.Dist2, got, c.want)
		}
	}
	for _, c := range []struct {
		s           Scales
		dist2, want float64
	}{{Native, 0, 0.1}, {Native, 4, 2}, {Native, 99, 10}, {Unit, 7, 1}, {Unclipped, 0, 1e-6}, {Unclipped, 99, 49.5}} {
		if got := c.s.Delta2(c.dist2, 2); got != c.want {
			t.Errorf("%v: %v, want %v", c.s, got, c.want)
		}
	}
	for name, f := range map[string]func(){
		"scales": func() { Scales(9).Delta2(1, 1) }, "no neighbours": func() { NewProblem(lists(1, 2), 0, Native) }, "more than there are": func() { NewProblem(lists(1, 2), 3, Native) },
		"weights of more":    func() { newProblem(lists(1, 2), nil, edgeWeights{rank: make([]float64, 3)}, lengths{}, 1) },
		"weights of nothing": func() { newProblem(lists(1, 2), nil, edgeWeights{}, lengths{}, 1) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.HasPrefix(text, "student: ") {
					t.Errorf("%s: %q", name, text)
				}
			}()
			f()
		}()
	}
	for _, s := range []Scales{Native, Unit} {
		if got := (Settings{Options: Options{Scales: s}}).clip(); got != map[Scales][2]float64{Native: {0.1, 10}, Unit: {1, 1}}[s] {
			t.Errorf("%v: %v", s, got)
		}
	}
}

// TestFreshFrom: the search for a point begins at an element, goes round, and ends where it began.
func TestFreshFrom(t *testing.T) {
	list := []int32{4, 5, 6, 7}
	for _, c := range []struct {
		at          int
		i           int32
		near, taken []int32
		want        int32
	}{{1, 9, nil, nil, 5}, {1, 5, nil, nil, 6}, {1, 9, []int32{5, 6}, nil, 7}, {1, 9, []int32{5, 6}, []int32{7}, 4}, {3, 9, nil, []int32{7}, 4}, {2, 9, []int32{4, 5, 6, 7}, nil, 9}} {
		if got := freshFrom(list, c.at, c.i, c.near, c.taken); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	nb := &knn.Neighbors{N: 3, K: 2, Index: []int32{1, 2, 2, 0, 0, 1}, Dist2: make([]float64, 6)}
	for steps, want := range [][]int32{{1, 2}, {0, 1}, {2, 0}, {1, 2}} {
		if got := walk(nb, 0, steps); !slices.Equal(got, want) {
			t.Errorf("%d steps end at %v, want %v", steps, got, want)
		}
	}
}

// TestLearnerRefuses: lists that are too short, and settings that make no sense.
func TestLearnerRefuses(t *testing.T) {
	x := normal(20, 3, 1)
	if _, err := NewLearner(x, neighbors(t, x, 7), Settings{}, 0); !models.IsBadInput(err) {
		t.Errorf("lists of 7: %v", err)
	}
	if _, err := NewLearner(x.Slice(0, 1), knn.NewNeighbors(1, 0), Settings{}, 0); !models.IsBadInput(err) {
		t.Errorf("one point: %v", err)
	}
	if _, err := NewLearner(x, neighbors(t, x, 8), Settings{Options: Options{Tail: -1}}, 0); err == nil {
		t.Error("a negative tail")
	}
	for n := 2; n < 5; n++ {
		few := x.Slice(0, n)
		if l, err := NewLearner(few, neighbors(t, few, n-1), Settings{}, 0); err != nil || l.Problem.N() != n {
			t.Errorf("%d points: %v", n, err)
		}
	}
	l, err := NewLearner(x, neighbors(t, x, 8), Settings{Options: Options{Thorough: true}}, 3)
	if err != nil || l.Problem.Unit != 3 || l.Model.Settings().Sweeps != -1 || l.Settings.Steps != 500 || l.Settings.Weight != l.Model.s.Weight {
		t.Errorf("%+v, %v", l.Model.Settings(), err)
	}
	for c, want := range map[models.Coarse]string{models.CoarseAuto: "all", models.CoarseAnchors: "all"} {
		l, err := NewLearner(x, neighbors(t, x, 8), Settings{Options: Options{Coarse: c}}, 0)
		if err != nil || l.coarse.String() != want || l.Model.s.Single {
			t.Errorf("%v: %v", c, err)
		}
	}
	many := normal(farfield.ExactBelow, 2, 1)
	nb := neighbors(t, many, 8)
	for _, c := range []struct {
		coarse models.Coarse
		d      int
		want   models.Coarse
		random bool
	}{{models.CoarseAuto, 2, models.CoarseMap, false}, {models.CoarseAuto, 4, models.CoarseShared, true}, {models.CoarseAnchors, 2, models.CoarseAnchors, true}, {models.CoarseAll, 2, models.CoarseAll, false}} {
		l, err := NewLearner(many, nb, Settings{Common: models.Common{Dims: c.d}, Options: Options{Coarse: c.coarse}}, 0)
		if err != nil || l.coarse != c.want || l.Problem.Field.Random() != c.random || l.Model.s.Single != (c.want == models.CoarseMap) || (l.Settings.Theta > 0) != (c.want == models.CoarseMap) {
			t.Errorf("%+v: %v, theta %v (%v)", c, l.coarse, l.Settings.Theta, err)
		}
	}
}

// TestPlacerRefuses: maps that are none of this kind, and settings that make no sense.
func TestPlacerRefuses(t *testing.T) {
	plain, _ := modeltest.Snapshot(t, 6, 40, 4, 0, 2)
	heavy := modeltest.Heavy(plain)
	for _, c := range []struct {
		name string
		set  PlaceSettings
		bad  bool
		ok   bool
	}{
		{"fine", PlaceSettings{}, false, true}, {"most decay", PlaceSettings{RankDecay: mostRankDecay}, false, true}, {"decay", PlaceSettings{RankDecay: mostRankDecay + 1}, false, false}, {"decay NaN", PlaceSettings{RankDecay: math.NaN()}, false, false},
		{"received", PlaceSettings{Received: -1}, false, false}, {"received infinite", PlaceSettings{Received: math.Inf(1)}, false, false}, {"received NaN", PlaceSettings{Received: math.NaN()}, false, false},
		{"em", PlaceSettings{Rule: placing.EM}, false, false}, {"neighbours", PlaceSettings{Neighbors: -1}, false, false}, {"many neighbours", PlaceSettings{Neighbors: 400}, false, true},
	} {
		p, err := NewPlacer(heavy, c.set)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.ok {
			want := min(max(c.set.Neighbors, 0), 39)
			if want == 0 {
				want = 6
			}
			if p.set.Neighbors != want || p.set.Received != DefaultReceived || p.set.Rule != placing.Robust || len(p.sent) != want {
				t.Errorf("%s: %+v", c.name, p.set)
			}
		}
	}
	if _, err := NewPlacer(plain, PlaceSettings{}); !models.IsBadInput(err) {
		t.Errorf("a map with Gaussian tails: %v", err)
	}
	for _, c := range []struct {
		dims int
		want placing.Rule
	}{{1, placing.Robust}, {3, placing.Robust}, {4, placing.LLE}} {
		if got, err := ResolveRule(placing.RuleAuto, c.dims); err != nil || got != c.want {
			t.Errorf("%d dimensions: %v, %v", c.dims, got, err)
		}
	}
	if got, err := ResolveRule(placing.Median, 4); err != nil || got != placing.Median {
		t.Errorf("median: %v, %v", got, err)
	}
	for _, c := range []struct{ k, novelty, n, want int }{{8, 10, 1000, 41}, {8, 60, 1000, 61}, {50, 10, 1000, 76}, {30, 10, 1000, 46}, {8, 10, 30, 30}, {8, 10, 41, 41}} {
		if got := Reach(c.k, c.novelty, c.n); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// TestSolveDense: solutions of symmetric positive definite systems of every size.
func TestSolveDense(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for n := range 13 {
		a, x, b := make([]float64, n*n), make([]float64, n), make([]float64, n)
		for i := range n {
			x[i] = r.NormFloat64()
		}
		for range n + 2 { // a sum of squares
			v := make([]float64, n)
			for i := range v {
				v[i] = r.NormFloat64()
			}
			for i := range n {
				for j := range n {
					a[i*n+j] += v[i] * v[j]
				}
			}
		}
		for i := range n {
			for j := range n {
				b[i] += a[i*n+j] * x[j]
			}
		}
		solveDense(a, b)
		for i := range n {
			if math.Abs(b[i]-x[i]) > 1e-6 {
				t.Errorf("%d unknowns: %v, want %v", n, b, x)
				break
			}
		}
	}
}

// TestMiddle: the weighted median of ascending values, by the definition; of zero weights nothing comes.
func TestMiddle(t *testing.T) {
	for _, c := range []struct {
		at, s []float64
		want  float64
	}{
		{[]float64{3}, []float64{1}, 3}, {[]float64{3, 1}, []float64{1, 1}, 2}, {[]float64{3, 1, 2}, []float64{1, 1, 1}, 2}, {[]float64{3, 1}, []float64{2, 1}, 3},
		{[]float64{1, 2, 3}, []float64{1, 0, 1}, 2}, {[]float64{1, 5, 9}, []float64{0, 1, 0}, 5}, {[]float64{1, 2, 3, 4}, []float64{1, 1, 2, 0}, 2.5},
		{[]float64{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, slices.Repeat([]float64{1}, 12), 2},
		{[]float64{12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, slices.Repeat([]float64{1}, 12), 6.5},
		{[]float64{1, 1, 1, 1, 1, 1, 1, 9, 9, 9, 9, 9, 9, 9}, slices.Repeat([]float64{1}, 14), 5},
		{[]float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8}, slices.Repeat([]float64{1}, 12), 1},
		{[]float64{1, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}, slices.Repeat([]float64{1}, 12), 9},
	} {
		var sum float64
		for _, v := range c.s {
			sum += v
		}
		if got := middle(slices.Clone(c.at), slices.Clone(c.s), sum/2); got != c.want {
			t.Errorf("%v by %v: %v, want %v", c.at, c.s, got, c.want)
		}
	}
	if got := passing([]float64{1, 2, 3}, []float64{1, 1, 1}, 7); got != 3 {
		t.Errorf("half beyond all weights: %v", got)
	}
	at, s := []float64{5, 1, 3, 2}, []float64{50, 10, 30, 20}
	if n, weight := divide(at, s, 3); n != 2 || weight != 30 || !slices.Equal(at[:2], []float64{1, 2}) || !slices.Equal(s[:2], []float64{10, 20}) || at[2]+at[3] != 8 {
		t.Errorf("%d of %v, %v weigh %v", n, at, s, weight)
	}
}

// TestLabelEdges: with labels, edges to like ones weigh more, by H24, and all are 1 on average.
func TestLabelEdges(t *testing.T) {
	w := edgeWeights{rank: nearWeights(4, 0.7), supervision: 0.75, class: []int32{0, 0, 1, score.Missing, 2, 1}}
	for i, to := range map[int32][]int32{0: {1, 2, 3, 4}, 2: {5, 0, 1, 3}, 3: {0, 1, 2, 4}, 4: {0, 1, 2, 5}, 1: {0, 3, 0, 3}} {
		var sum, all float64
		b := func(j int32) float64 {
			if w.class[i] != score.Missing && w.class[j] != score.Missing && w.class[i] != w.class[j] {
				return 0.25
			}
			return 1
		}
		for m, j := range to {
			all += w.rank[m] * b(j)
		}
		for m, j := range to {
			want := 4 * w.rank[m] * b(j) / all
			if got := w.edge(i, to, m); math.Abs(got-want) > 1e-12 {
				t.Errorf("from %d to %d: %v, want %v", i, j, got, want)
			}
			sum += w.edge(i, to, m)
		}
		if math.Abs(sum-4) > 1e-12 {
			t.Errorf("the edges of %d weigh %v", i, sum)
		}
	}
	w.supervision = 1
	if got := w.edge(4, []int32{0, 1, 2, 5}, 2); got != w.rank[2] { // all unlike
		t.Errorf("%v among unlike ones alone", got)
	}
	for _, c := range []struct {
		supervision float64
		labels      []string
		n           int
		bad         bool
	}{{0, nil, 3, false}, {0, []string{"a"}, 3, false}, {0.5, nil, 3, true}, {0.5, []string{"a", "b"}, 3, true}} {
		s := Settings{Common: models.Common{Labels: c.labels}, Options: Options{Supervision: c.supervision}}
		if labels, err := s.pointLabels(&models.Result{}, c.n); models.IsBadInput(err) != c.bad || labels != nil {
			t.Errorf("%+v: %v, %v", c, labels, err)
		}
	}
	s := Settings{Common: models.Common{Labels: []string{"a", "", "b", "a"}}, Options: Options{Supervision: 0.5, RankDecay: 1}}
	if w := s.nearWeights(3); w.supervision != 0.5 || len(w.rank) != 3 || len(w.class) != 4 || w.class[0] != w.class[3] || w.class[0] == w.class[2] || w.class[1] != score.Missing {
		t.Errorf("%+v", w)
	}
	if s.Supervision = 0; s.nearWeights(3).class != nil {
		t.Error("labels take part without supervision")
	}
}

// TestStartIs: the state that learning starts from has the variance that is asked for.
func TestStartIs(t *testing.T) {
	x := normal(30, 4, 1)
	for given, want := range map[float64]float64{0: DefaultSigma2, 0.3: 0.3} {
		st, err := Start(context.Background(), x, 2, StartSettings{Sigma2: given})
		if err != nil || st.Mu.Rows != 30 || st.Mu.Cols != 2 || len(st.Sigma2) != 30 || slices.Min(st.Sigma2) != want || slices.Max(st.Sigma2) != want {
			t.Errorf("%v: %v", given, err)
		}
	}
}

// TestRefineTwo: two points are refined, one has nothing to go by.
func TestRefineTwo(t *testing.T) {
	for n, steps := range map[int]int{1: 0, 2: 3} {
		p := NewProblem(neighborsOf(n), 1, Native)
		p.Field = farfield.NewAll(p.Bandwidth2, 2)
		m, err := NewModel(p, 2, ModelSettings{})
		if err != nil {
			t.Fatal(err)
		}
		st := scattered(n, 2, 1, Fixed, 3)
		before := st.Clone()
		r, err := m.Refine(t.Context(), st, Refinement{Steps: 3})
		if err != nil || r.Iterations != steps || slices.Equal(before.Mu.Data, st.Mu.Data) != (steps == 0) || r.Damping != m.s.Damping || r.Pairs != int64(n*(n-1)) {
			t.Errorf("%d points: %+v, %v", n, r, err)
		}
	}
}

// neighborsOf are lists of one point or two.
func neighborsOf(n int) *knn.Neighbors {
	nb := knn.NewNeighbors(n, 1)
	for i := range n {
		index, dist2 := nb.Row(i)
		index[0], dist2[0] = int32(n-1-i), 1
	}
	return nb
}

// TestDefinite: a system is definite if every point has a Gamma beside its edges.
func TestDefinite(t *testing.T) {
	p := NewProblem(neighbors(t, normal(30, 3, 1), 5), 5, Native)
	p.Field = farfield.NewAll(p.Bandwidth2, 4)
	m, err := NewModel(p, 4, ModelSettings{})
	if err != nil {
		t.Fatal(err)
	}
	st := scattered(30, 4, 1, Fixed, 3)
	for name, c := range map[string]struct {
		set  func(gamma []float64)
		own  bool
		want bool
	}{
		"all": {func(g []float64) {}, false, true}, "none": {func(g []float64) { clear(g) }, false, false}, "not the last": {func(g []float64) { g[29] = 0 }, false, false}, "not the first": {func(g []float64) { g[0] = 0 }, false, false},
		"of its own": {func(g []float64) { clear(g) }, true, true},
	} {
		gamma := slices.Repeat([]float64{2}, 30)
		c.set(gamma)
		was := slices.Clone(gamma)
		push := slices.Repeat([]float64{0.5}, 30)
		m.similar.system(1, st, 3, 0.25, c.own, push, gamma, m.system, m.grad)
		if m.system.Definite != c.want {
			t.Errorf("%s: definite %v", name, m.system.Definite)
		}
		for i := range 30 {
			var sum float64
			for q := p.Similar.Start[i]; q < p.Similar.Start[i+1]; q++ {
				sum += m.system.W.Data[q]
			}
			want := was[i]
			if c.own {
				want = 3*0.5 + 0.05*sum
			}
			if math.Abs(gamma[i]-want) > 1e-12*want || math.Abs(m.system.Diagonal[i]-sum-0.25*want) > 1e-12*sum {
				t.Errorf("%s: Gamma of %d is %v, want %v; the diagonal %v", name, i, gamma[i], want, m.system.Diagonal[i])
			}
		}
	}
}

// TestPrecisionOfSweeps: sums are in single precision where settings, dimensions and majoriser allow it.
func TestPrecisionOfSweeps(t *testing.T) {
	for _, c := range []struct {
		d    int
		set  ModelSettings
		want bool
	}{
		{2, ModelSettings{Single: true}, true}, {2, ModelSettings{}, false}, {2, ModelSettings{Single: true, Majoriser: Local}, false}, {2, ModelSettings{Single: true, Tail: 3}, false},
		{3, ModelSettings{Single: true}, true}, {3, ModelSettings{}, false}, {3, ModelSettings{Single: true, Majoriser: EM}, false}, {4, ModelSettings{Single: true}, false},
	} {
		p := NewProblem(neighbors(t, normal(30, 3, 1), 5), 5, Native)
		field := &one{batch(10, 20, c.d, 1, false, rand.New(rand.NewPCG(1, 1)))}
		p.Field = field
		m, err := NewModel(p, c.d, c.set)
		if err != nil {
			t.Fatal(err)
		}
		if m.visitPush(&field.batch); (len(field.batch.Work32) > 0) != c.want {
			t.Errorf("%d dimensions, %+v: in single precision %v", c.d, c.set, !c.want)
		}
	}
}

// TestModelBytes: a model holds what its parts do, and a diagonal of its own if that is used more than once.
func TestModelBytes(t *testing.T) {
	for _, d := range []int{2, 5} {
		p := NewProblem(neighbors(t, normal(30, 3, 1), 5), 5, Native)
		p.Field = farfield.NewAll(p.Bandwidth2, d)
		var bytes []int64
		for lag := range 3 {
			m, err := NewModel(p, d, ModelSettings{Lag: lag})
			if err != nil {
				t.Fatal(err)
			}
			bytes = append(bytes, m.Bytes())
			if own := &m.gamma[0] != &m.bound[0]; own != (lag > 1) {
				t.Errorf("lag %d: a diagonal of its own: %v", lag, own)
			}
			m.SetPrior(prior.New(scattered(30, d, 1, Fixed, 1).Mu), prior.Schedule{From: 3, To: 2})
			if m.kappa != 2 || m.c != m.s.Weight {
				t.Errorf("weights %+v", m.weights)
			}
		}
		if bytes[0] != bytes[1] || bytes[2] != bytes[1]+8*30 || bytes[0] < p.Bytes()+p.Field.Bytes()+8*int64(3*30*d+4*30+p.Similar.NNZ()) {
			t.Errorf("%d dimensions: %v bytes", d, bytes)
		}
	}
}

// TestWeighs: the weight of further edges follows that of the step, and the last one is kept.
func TestWeighs(t *testing.T) {
	x := normal(40, 3, 1)
	nb := neighbors(t, x, 12)
	p := newProblem(nb, further(x, nb, 4, []int{8, 12}, 0, 1), edgeWeights{rank: nearWeights(4, 0)}, lengths{unit: 1}, 1)
	p.Field = farfield.NewAll(p.Bandwidth2, 2)
	m, err := NewModel(p, 2, ModelSettings{Further: FurtherWeight{From: 2, To: 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	sum := func() (total float64) {
		for q := range p.Similar.Index {
			total += p.weights.at(q) / 2
		}
		return total
	}
	for _, further := range []float64{0.5, 2, 2, 0, 0.5} {
		if m.weigh(weights{c: 1, further: further, kappa: 3}); math.Abs(sum()-40*(4+2*further)) > 1e-9 || m.c != 1 || m.kappa != 3 {
			t.Errorf("weight %v: all edges weigh %v", further, sum())
		}
	}
}

// TestPlaceVariance: a new point's variance after an update is that of H9, by finite differences of the
// likelihood of its edges.
func TestPlaceVariance(t *testing.T) {
	for _, d := range []int{1, 2, 3} {
		list := edges(7, d, rand.New(rand.NewPCG(4, uint64(d))))
		mu, tail := make([]float64, d), float64(d)/2+0.5
		likelihood := func(sigma2 float64) (sum float64) {
			for _, e := range list {
				sum += e.S * Pair{Scale2: e.Delta2, Sigma2I: sigma2, Sigma2J: e.Sigma2, Dist2: vec.SquaredDistance(mu, e.Mu), Dims: d, Tail: tail}.LogProb()
			}
			return sum
		}
		const sigma2, h = 0.3, 1e-5
		slope := (likelihood(sigma2+h) - likelihood(sigma2-h)) / (2 * h)
		var total float64
		for _, e := range list {
			total += e.S
		}
		for _, dissimilar := range []float64{0, 3} {
			want := sigma2 * (1 + sigma2*2*slope/(float64(d)*total*(1+dissimilar)))
			if got := PlaceSigma2(mu, list, sigma2, tail, dissimilar); math.Abs(got-want) > 1e-6*want {
				t.Errorf("d = %d, dissimilar %v: %v, want %v", d, dissimilar, got, want)
			}
		}
	}
}
