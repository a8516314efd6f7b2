package live

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/testkit/tier"
	"unfold/internal/vec"
	"unfold/models/lvm"
	"unfold/models/prior"
	"unfold/models/score"
)

// groups returns n points of some groups in dim dimensions, with the group of each. Three groups
// are those of the README's events, which differ along the diagonal alone.
func groups(n, dim, of int) (vec.Matrix[float32], []int32) {
	r := rand.New(rand.NewPCG(44, uint64(dim)))
	centres := vec.New[float32](of, dim)
	for k := range centres.Data {
		if centres.Data[k] = 3 * float32(r.NormFloat64()); of == 3 {
			centres.Data[k] = 3 * float32(k/dim)
		}
	}
	x, group := vec.New[float32](n, dim), make([]int32, n)
	for i := range n {
		group[i] = int32(i % of)
		for c, v := range centres.Row(i % of) {
			x.Row(i)[c] = v + float32(r.NormFloat64())
		}
	}
	return x, group
}

// judged holds quality measures of a map of x with those groups.
type judged struct{ nearest, trust, rnx float64 }

func judge(t *testing.T, x vec.Matrix[float32], mu vec.Matrix[float64], group []int32) judged {
	t.Helper()
	a, err := score.LeaveOneOut(t.Context(), mu, group, []int{1}, score.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := score.Neighborhoods(t.Context(), x, mu, score.Settings{K: 10})
	if err != nil {
		t.Fatal(err)
	}
	return judged{a.Share[0], s.Trustworthiness, s.RNX}
}

// TestYoungMaps: a map that began with few points is as good as a new fit of the current points, in
// any dimension. Points that stay do not jump while it grows, nor after.
func TestYoungMaps(t *testing.T) {
	for _, c := range []struct {
		name    string
		dim, of int
		path    []int // the number of points at each refresh
		slow    bool
	}{
		{"README", 64, 3, []int{1000, 1500}, false},
		{"README", 64, 3, []int{2000, 3000, 3010, 3020, 3030, 3040, 3050}, true},
		{"8 dimensions", 8, 8, []int{1000, 1500}, false},
		// Below growth by a half: with an ordinary refresh R_NX is .04 below that of a fit.
		{"32 dimensions", 32, 8, []int{500, 750, 1000}, false},
		{"32 dimensions", 32, 8, []int{2000, 3000, 3010, 3020, 3030, 3040, 3050}, true},
		{"64 dimensions", 64, 8, []int{300, 3000}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.slow {
				tier.Full(t, "it learns 3,000 points several times")
			}
			n := c.path[len(c.path)-1]
			x, group := groups(n, c.dim, c.of)
			m, _ := fitted(t, x.Slice(0, c.path[0]), Settings{})
			for i, n := range c.path[1:] {
				change(t, m, nil, x.Slice(c.path[i], n))
				r := refresh(t, m)
				most := Moves{Median: 1.6, P90: 4, P99: 10}
				if n > 2*c.path[i] {
					most = Moves{Median: 4, P90: 10, P99: 20}
				}
				t.Logf("%d points, %v: diameter %.0f, moves %+v", n, r.Kind, r.Diameter, r.Moves)
				if r.Moves.Median > most.Median || r.Moves.P90 > most.P90 || r.Moves.P99 > most.P99 {
					t.Errorf("%v refresh to %d points: moves %+v", r.Kind, n, r.Moves)
				}
			}
			fresh, err := lvm.Fit(context.Background(), x, lvm.Settings{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, want := judge(t, x, m.Snapshot().Mu, group), judge(t, x, fresh.Mu, group)
			t.Logf("%+v, a fit %+v", got, want)
			if got.nearest < want.nearest-0.005 || got.trust < want.trust-0.01 || got.rnx < want.rnx-0.02 {
				t.Errorf("%+v, a fit %+v", got, want)
			}
		})
	}
}

// TestShownPointsDoNotJump: points that came between two majors stay where readers saw them, like
// all others.
func TestShownPointsDoNotJump(t *testing.T) {
	x, _ := groups(1000, 64, 3)
	m, _ := fitted(t, x.Slice(0, 600), Settings{})
	change(t, m, nil, x.Slice(600, 659))
	if r := refresh(t, m); r.Kind != Ordinary {
		t.Fatalf("%+v", r)
	}
	change(t, m, nil, x.Slice(659, 980))
	if r := refresh(t, m); r.Kind != Major || r.Moves.Median > 1.6 || r.Moves.P90 > 4 || r.Moves.P99 > 10 {
		t.Errorf("%+v", r)
	}
}

// TestUnitDoesNotDrift: the diameter of a map stays while all of its points are replaced many
// times.
func TestUnitDoesNotDrift(t *testing.T) {
	x, _ := groups(4000, 8, 8)
	m, slots := fitted(t, x.Slice(0, 300), Settings{})
	was := Diameter(m.Snapshot().Mu)
	for at := 300; at+100 <= x.Rows; at += 100 {
		more := change(t, m, slots[:100], x.Slice(at, at+100))
		slots = append(slots[100:], more...)
		if r := refresh(t, m); r.Kind != Major {
			t.Fatalf("%+v", r)
		}
	}
	if d := Diameter(m.Snapshot().Mu) / was; d < 0.75 || d > 1.33 {
		t.Errorf("the diameter is %.3g times that of the first map", d)
	}
}

// TestUnit: lengths are published in one unit. The diameter stays while the set grows, even if that
// of a fit does not. A map that an earlier version learnt with another weight of dissimilar pairs
// continues where it is.
func TestUnit(t *testing.T) {
	x, _ := groups(600, 64, 3)
	m, _ := fitted(t, x.Slice(0, 300), Settings{})
	was := Diameter(m.Snapshot().Mu)
	change(t, m, nil, x.Slice(300, 600))
	refresh(t, m)
	is := Diameter(m.Snapshot().Mu)
	if d := is / was; d < 0.8 || d > 1.25 {
		t.Errorf("the diameter of 600 points is %.3g times that of 300", d)
	}
	if g := Unit(m.Snapshot()); math.Abs(g-1) < 0.05 {
		t.Errorf("the unit is %.3g: the test shows nothing", g)
	}
	// Events equal to a point have its place, in the same unit.
	if mu, err := m.placed(t.Context(), x.Slice(5, 6)); err != nil || vec.SquaredDistance(mu.Row(0), vec.Convert[float64](vec.Convert[float32](m.Snapshot().Mu)).Row(5)) > 1e-6 {
		t.Errorf("a point's own event is at %v, not at %v: %v", mu.Row(0), m.Snapshot().Mu.Row(5), err)
	}
	// A map learnt by an earlier version, where dissimilar pairs weigh five times as much.
	x, _ = groups(3000, 16, 8)
	plain, _ := fitted(t, x, Settings{})
	set := Settings{}
	set.LVM.Student.Weight = 5 * plain.Snapshot().Student.Weight
	heavy, _ := fitted(t, x, set)
	s, state := heavy.Snapshot(), heavy.State()
	state.Extent = 0
	old, err := Restore(t.Context(), s, state, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	was = Diameter(s.Mu)
	change(t, old, []int32{1, 2, 3}, none)
	if r := refresh(t, old); r.Kind != Ordinary || r.Moves.P99 > 2 || math.Abs(r.Diameter/was-1) > 0.02 || math.Abs(Unit(old.Snapshot())-1) > 0.01 {
		t.Errorf("an ordinary refresh, %v, moves a map with another push by %+v: diameter %v, then %v", r.Kind, r.Moves, was, r.Diameter)
	}
	old.policy.sinceMajor = 49
	if r := refresh(t, old); r.Kind != Major || r.Moves.Median > 2 || math.Abs(r.Diameter/was-1) > 0.1 || !(Unit(old.Snapshot()) > 1.2) {
		t.Errorf("a %v refresh moves a map with another push by %+v: diameter %v, then %v", r.Kind, r.Moves, was, r.Diameter)
	}
}

// TestGrowthOfYoungMaps: a map of few points is learnt again after growing by a tenth, a larger one
// by a fifth, and a large one by half. So is a map whose major refreshes begin an epoch, after the same share of new points.
func TestGrowthOfYoungMaps(t *testing.T) {
	for _, c := range []struct {
		name    string
		set     Settings
		was, is int
		born    int
		want    Kind
	}{
		{"young, by less", Settings{}, 1000, 1090, 90, Ordinary},
		{"young, by a tenth", Settings{}, 1000, 1100, 100, Major},
		{"young, less by an eleventh", Settings{}, 1100, 1000, 0, Major},
		{"older, by less", Settings{}, 6000, 7190, 1190, Ordinary},
		{"older, by a fifth", Settings{}, 6000, 7200, 1200, Major},
		{"older, less by a sixth", Settings{}, 7200, 6000, 0, Major},
		{"larger, by a fifth", Settings{}, 20_000, 24_000, 4000, Ordinary},
		{"larger, by half", Settings{}, 20_000, 30_000, 10_000, Major},
		{"young, in new frames, by a fifth", Settings{Frame: NewFrame}, 1000, 1200, 200, Ordinary},
		{"young, in new frames, by half", Settings{Frame: NewFrame}, 1000, 1500, 500, Major},
		{"young, as it is set", Settings{Growth: 1.05}, 1000, 1050, 50, Major},
		{"young, never", Settings{Growth: -1}, 1000, 10_000, 9000, Ordinary},
		{"young, some replaced", Settings{}, 2000, 2000, 150, Ordinary},
		{"young, an eleventh replaced", Settings{}, 2000, 2000, 190, Major},
		{"older, some replaced", Settings{}, 6000, 6000, 900, Ordinary},
		{"older, a sixth replaced", Settings{}, 6000, 6000, 1020, Major},
		{"larger, a sixth replaced", Settings{}, 30_000, 30_000, 5000, Ordinary},
		{"larger, a third replaced", Settings{}, 30_000, 30_000, 10_000, Major},
	} {
		if got := c.set.Due(State{MajorPoints: c.was}, c.is, c.born); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestManyReplacedAtOnce: most points are replaced at once, as in a small reference set of a fast
// stream. The map is as good as a new fit, and the few points that stay do not jump.
func TestManyReplacedAtOnce(t *testing.T) {
	x, _ := groups(2000, 32, 8)
	m, slots := fitted(t, x.Slice(0, 1000), Settings{})
	change(t, m, slots[:600], x.Slice(1000, 1600))
	r := refresh(t, m)
	if r.Kind != Major || r.Points != 1000 || r.Born != 600 || r.Moves.Median > 3.5 || r.Moves.P90 > 8 {
		t.Errorf("%+v", r)
	}
	x = m.Snapshot().Reference
	fresh, err := lvm.Fit(t.Context(), x, lvm.Settings{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	group := make([]int32, x.Rows) // judge ignores it
	got, want := judge(t, x, m.Snapshot().Mu, group), judge(t, x, fresh.Mu, group)
	t.Logf("%+v: %+v, a fit %+v", r.Moves, got, want)
	if got.trust < want.trust-0.003 || got.rnx < want.rnx-0.02 {
		t.Errorf("%+v, a fit %+v", got, want)
	}
}

// TestDeletedInParts: half of the points are deleted, in one refresh or in two. The map is about as
// good as a new fit either way, and points that stay do not jump.
func TestDeletedInParts(t *testing.T) {
	x, group := groups(1000, 64, 3)
	var fresh judged
	for _, parts := range [][]int{{500}, {400, 100}} { // 100 of 600 is less than a fifth
		m, slots := fitted(t, x, Settings{})
		for _, n := range parts {
			change(t, m, slots[:n], none)
			slots = slots[n:]
			if r := refresh(t, m); r.Moves.Median > 4 || r.Moves.P90 > 10 || r.Moves.P99 > 20 {
				t.Errorf("%v refresh to %d points: moves %+v", r.Kind, r.Points, r.Moves)
			}
		}
		rest, of := m.Snapshot().Reference, group[500:]
		if fresh == (judged{}) {
			f, err := lvm.Fit(t.Context(), rest, lvm.Settings{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			fresh = judge(t, rest, f.Mu, of)
		}
		got := judge(t, rest, m.Snapshot().Mu, of)
		t.Logf("deletions of %v: %+v, a fit %+v", parts, got, fresh)
		if got.nearest < fresh.nearest-0.005 || got.trust < fresh.trust-0.01 || got.rnx < fresh.rnx-0.02 {
			t.Errorf("deletions of %v: %+v, a fit %+v", parts, got, fresh)
		}
	}
}

// TestHold: a major refresh of few points may move them by a budget, and by more if a third of the
// points is new or gone. Large maps, maps with Gaussian tails and those with a weight of their own
// have none.
func TestHold(t *testing.T) {
	firm, young := prior.Firm(), prior.Schedule{From: 100, To: prior.Firm().To}
	for n, want := range map[int]prior.Schedule{500: young, 19_999: young, 20_000: firm, 100_000: firm} {
		if got := (Settings{}).hold(n); got != want {
			t.Errorf("%d points: %+v, want %+v", n, got, want)
		}
		if got, want := (Settings{}).budget(n, false) != (prior.Budget{}), want == young; got != want {
			t.Errorf("%d points: a budget %v, want %v", n, got, want)
		}
	}
	if got, want := (Settings{}).budget(500, true), (Settings{}).budget(500, false); !(got[0] > want[0] && got[1] > want[1] && got[2] > want[2]) {
		t.Errorf("in a leap moves are bounded by %v, otherwise by %v", got, want)
	}
	gaussian := Settings{}
	gaussian.LVM.Tails = lvm.Gaussian
	for n, want := range map[int]float64{500: 10, 2000: 10, 5000: 4, 20_000: 1, 100_000: 1} {
		got := gaussian.hold(n)
		if math.Abs(got.From/firm.From-want) > 0.01 || math.Abs(got.To/firm.To-want) > 0.01 {
			t.Errorf("Gaussian tails, %d points: %+v, want %v times %+v", n, got, want, firm)
		}
	}
	own := Settings{Prior: prior.Schedule{From: 3, To: 2}}
	if own.hold(500) != own.Prior || own.budget(500, true) != (prior.Budget{}) {
		t.Error("a schedule that is set does not hold")
	}
}

// TestLeaps: a leap is a change after which a third of either map's points is not on the other.
func TestLeaps(t *testing.T) {
	for _, c := range []struct {
		now, born, gone int
		want            bool
	}{{1500, 500, 0, false}, {1501, 501, 0, true}, {1000, 0, 500, false}, {1000, 0, 501, true}, {1000, 300, 300, false}, {1000, 400, 400, true}} {
		if got := (&Map{born: c.born, gone: c.gone}).leaps(c.now); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
