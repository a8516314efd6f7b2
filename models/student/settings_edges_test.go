package student

import (
	"errors"
	"math"
	"strings"
	"testing"

	"unfold/coarse/farfield"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/models/prior"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// TestModelDefaults: the defaults for zero fields, by the number of points and dimensions.
func TestModelDefaults(t *testing.T) {
	for _, c := range []struct {
		n, d   int
		edges  float64
		single bool
		set    ModelSettings
		want   ModelSettings
	}{
		{100_000, 2, 1e6, false, ModelSettings{}, ModelSettings{Tail: 1, Weight: 0.086, Majoriser: Far, Damping: 0.005, Momentum: 0.9, Tolerance: 0.1, Sweeps: 12, Steps: 80, Phases: [3]int{20, 40, 20}, Ratio: 5, Check: 10}},
		{100_000, 3, 1e6, true, ModelSettings{}, ModelSettings{Tail: 1.5, Weight: 0.086, Majoriser: Force, Damping: 1, Momentum: 0.9, Tolerance: 0.1, Sweeps: 20, Steps: 80, Phases: [3]int{20, 40, 20}, Ratio: 5, Check: 10}},
		{100_000, 3, 1e6, false, ModelSettings{}, ModelSettings{Tail: 1.5, Weight: 0.086, Majoriser: Force, Damping: 1, Momentum: 0.9, Tolerance: 0.1, Sweeps: 12, Steps: 80, Phases: [3]int{20, 40, 20}, Ratio: 5, Check: 10}},
		{100_000, 4, 1e6, false, ModelSettings{NoMomentum: true, Steps: -1}, ModelSettings{Tail: 2, Weight: 0.086, Majoriser: Force, Damping: 1, NoMomentum: true, Tolerance: 0.1, Sweeps: 6, Steps: -1, Ratio: 5, Check: 10}},
		{100_000, 2, 1e6, false, ModelSettings{Majoriser: Local, Phases: [3]int{1, 2, 3}}, ModelSettings{Tail: 1, Weight: 0.086, Majoriser: Local, Damping: 0.01, Momentum: 0.9, Tolerance: 0.1, Sweeps: 12, Steps: 80, Phases: [3]int{1, 2, 3}, Ratio: 5, Check: 10}},
		{100_000, 2, 1e6, false, ModelSettings{Tail: 2, Weight: 3, Sweeps: 1, Ratio: 7, Check: -1, Momentum: 0.5, Tolerance: 0.2, Steps: 4},
			ModelSettings{Tail: 2, Weight: 3, Majoriser: Force, Damping: 1, Momentum: 0.5, Tolerance: 0.2, Sweeps: 1, Steps: 4, Phases: [3]int{1, 2, 1}, Ratio: 7, Check: -1}},
		{100_000, 2, 1e6, false, ModelSettings{Majoriser: EM, Damping: 0.5, Steps: 4}, ModelSettings{Tail: 1, Weight: 0.086, Majoriser: EM, Damping: 0.5, Momentum: 0.9, Tolerance: 0.1, Sweeps: 12, Steps: 4, Phases: [3]int{1, 2, 1}, Ratio: 5, Check: 10}},
	} {
		if got, err := c.set.withDefaults(c.n, c.d, c.edges, 0, c.single); err != nil || got != c.want {
			t.Errorf("%+v become\n%+v, want\n%+v (%v)", c.set, got, c.want, err)
		}
	}
	for want, set := range map[string]ModelSettings{
		"tail is -1": {Tail: -1}, "weight is -1": {Weight: -1}, "weight is +Inf": {Weight: math.Inf(1)}, "damping is -1": {Damping: -1}, "damping is +Inf": {Damping: math.Inf(1)},
		"ratio is -1": {Ratio: -1}, "momentum is 1,": {Momentum: 1}, "momentum is -0.1": {Momentum: -0.1}, "tolerance is 1,": {Tolerance: 1}, "tolerance is -1": {Tolerance: -1},
		"floor is -1": {Floor: -1}, "floor is +Inf": {Floor: math.Inf(1)}, "floor is NaN": {Floor: math.NaN()}, "gain is 1,": {Gain: 1}, "gain is -1": {Gain: -1},
		"majoriser -1": {Majoriser: -1}, "majoriser 6": {Majoriser: Force + 1}, "sigma setting -1": {Sigma: -1}, "sigma setting 3": {Sigma: Free + 1},
		"phases are [-1 0 0]": {Phases: [3]int{-1, 0, 0}}, "phases are [0 -1 0]": {Phases: [3]int{0, -1, 0}}, "phases are [0 0 -1]": {Phases: [3]int{0, 0, -1}},
		"d = 2, a = 3: use": {Majoriser: Far, Tail: 3},
	} {
		if _, err := set.withDefaults(100, 2, 500, 0, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", set, err, want)
		}
	}
	for _, m := range []Majoriser{Global, Local, Far} {
		if _, err := (ModelSettings{Majoriser: m}).withDefaults(100, 3, 500, 0, false); err == nil {
			t.Errorf("majoriser %d is taken in space", m)
		}
	}
	for _, set := range []ModelSettings{{Gain: 0.999}, {Floor: 0.1, Momentum: 0.999, Tolerance: 0.999, Sigma: Free, Majoriser: Force}, {Majoriser: EM, Tail: 3}} {
		if _, err := set.withDefaults(100, 2, 500, 0, false); err != nil {
			t.Errorf("%+v: %v", set, err)
		}
	}
	if _, err := (ModelSettings{Tail: 1}).withDefaults(100, 0, 500, 0, false); err == nil || !strings.Contains(err.Error(), "dims is 0") {
		t.Errorf("no dimensions: %v", err)
	}
}

// TestNumbersByPoints: defaults that depend on the number of points, at their thresholds.
func TestNumbersByPoints(t *testing.T) {
	for _, c := range []struct{ n, d, want int }{
		{0, 2, 200}, {1, 2, 200}, {12_000, 2, 200}, {20_000, 2, 120}, {25_000, 2, 96}, {30_000, 2, 80}, {50_000, 2, 80}, {1e6, 2, 80}, {1e6, 3, 80}, {1e6, 4, 50}, {30_000, 4, 100}, {30_000, 3, 80}, {10, 4, 200},
	} {
		if got := Steps(c.n, c.d); got != c.want {
			t.Errorf("%d points in %d dimensions: %d steps, want %d", c.n, c.d, got, c.want)
		}
	}
	for _, c := range []struct {
		n           int
		edges, want float64
	}{{1, 5, 0.086}, {2, 2, 1}, {100, 9.9, 0.1}, {100, 1e6, 1}, {1e6, 8e6, 0.086}} {
		if got := Weight(c.n, c.edges, 0); math.Abs(got-c.want) > 1e-12 {
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
		{"shared", with(func(s *Settings) { s.Coarse = models.CoarseShared }), 100_000, models.CoarseShared, 80, 0, 56},
		{"shared of few", with(func(s *Settings) { s.Coarse = models.CoarseShared }), 1000, models.CoarseAll, 200, 0, 56},
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
	}{{1000, 16, 56}, {30_000, 5, 56}, {30_001, 3, 56}, {20, 0, 2}, {90, 1, 9}} {
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
	}{{1, 100, false, 0, 0.1}, {2, 4_999, false, 0, 0.2}, {3, 100, false, 0, 0.4}, {7, 100, false, 0, 0.4}, {2, 5_000, false, 0, farfield.DefaultTheta(2)}, {2, 5_000, true, 0, 0.2}, {2, 100, true, 0.7, 0.7}} {
		th := with(func(s *Settings) { s.Dims, s.Thorough, s.Theta = c.d, c.thorough, c.own })
		if got := th.theta(c.n); got != c.want {
			t.Errorf("%+v: theta %v", c, got)
		}
	}
}

// TestMorePointsAreNoCheaper: a map of more points takes at least half as many sums over edges as any of fewer, and maps of
// nearly as many points take nearly as many.
func TestMorePointsAreNoCheaper(t *testing.T) {
	var most, before float64
	for n := 1000; n <= 1_000_000; n += 1 + n/100 {
		edges, _ := (Settings{}).FurtherEdges(n)
		work := float64(n*Steps(n, 2)) * float64(DefaultNeighbors+edges)
		if work < 0.5*most {
			t.Errorf("%d points take %.3g sums over edges, fewer points %.3g", n, work, most)
		}
		if before > 0 && (work > 1.15*before || work < before/1.3) {
			t.Errorf("%d points take %.3g sums over edges, 1 %% fewer points %.3g", n, work, before)
		}
		most, before = max(most, work), work
	}
}

// TestSettingsRefused: a fit refuses values out of range and names the setting. It takes the values
// at the limits.
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
		{o(func(s *Settings) { s.Theta, s.Dims = 0.5, 4 }), "theta"}, {o(func(s *Settings) { s.Theta, s.Dims = 0.5, 3 }), ""}, {o(func(s *Settings) { s.Theta, s.Coarse = 0.5, models.CoarseShared }), "theta"},
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

// TestRefinementRefused: a refinement refuses values out of range, and takes those at the limits.
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

// TestLearnerRefuses: lists that are too short and invalid settings are refused.
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
	for c, want := range map[models.Coarse]string{models.CoarseAuto: "all", models.CoarseShared: "all"} {
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
	}{{models.CoarseAuto, 2, models.CoarseMap, false}, {models.CoarseAuto, 4, models.CoarseShared, true}, {models.CoarseShared, 2, models.CoarseShared, true}, {models.CoarseAll, 2, models.CoarseAll, false}} {
		l, err := NewLearner(many, nb, Settings{Common: models.Common{Dims: c.d}, Options: Options{Coarse: c.coarse}}, 0)
		if err != nil || l.coarse != c.want || l.Problem.Field.Random() != c.random || l.Model.s.Single != (c.want == models.CoarseMap) || (l.Settings.Theta > 0) != (c.want == models.CoarseMap) {
			t.Errorf("%+v: %v, theta %v (%v)", c, l.coarse, l.Settings.Theta, err)
		}
	}
}

// TestPlacerRefuses: maps of another kind and invalid settings are refused.
func TestPlacerRefuses(t *testing.T) {
	plain, _ := modeltest.Snapshot(t, 6, 40, 4, 0, 2)
	heavy := modeltest.Heavy(plain)
	for _, c := range []struct {
		name string
		set  placing.Options
		bad  bool
		ok   bool
	}{
		{"fine", placing.Options{}, false, true}, {"most decay", placing.Options{RankDecay: mostRankDecay}, false, true}, {"decay", placing.Options{RankDecay: mostRankDecay + 1}, false, false}, {"decay NaN", placing.Options{RankDecay: math.NaN()}, false, false},
		{"received", placing.Options{Received: -1}, false, false}, {"received infinite", placing.Options{Received: math.Inf(1)}, false, false}, {"received NaN", placing.Options{Received: math.NaN()}, false, false},
		{"em", placing.Options{Rule: placing.EM}, false, false}, {"neighbours", placing.Options{Neighbors: -1}, false, false}, {"many neighbours", placing.Options{Neighbors: 400}, false, true},
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
	if _, err := NewPlacer(plain, placing.Options{}); !models.IsBadInput(err) {
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
