package live

import (
	"math"
	"slices"
	"strings"
	"testing"

	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/novelty"
	"unfold/models/prior"
	"unfold/models/saul"
	"unfold/models/student"
)

// TestPolicy: the next kind of refresh depends on counters alone. The cases are a sequence and
// every threshold.
func TestPolicy(t *testing.T) {
	set, err := Settings{GentleEvery: 3, Backstop: 8, Growth: 2, AfterAlarm: []int{2}}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	p := policy{majorPoints: 100}
	var kinds []Kind
	for range 18 {
		var kind Kind
		p, kind = p.next(set, 100, 0, 0)
		kinds = append(kinds, kind)
	}
	o, g, m := Ordinary, Gentle, Major
	if want := []Kind{o, o, g, o, o, g, o, m, o, o, g, o, o, g, o, m, o, o}; !slices.Equal(kinds, want) || p.refreshes != 18 || p.sinceMajor != 2 {
		t.Errorf("%v, want %v; %+v", kinds, want, p)
	}
	for _, c := range []struct {
		name              string
		p                 policy
		n, born, since    int
		want              Kind
		points, sinceThen int
	}{
		{"nothing", policy{0, 0, 100}, 199, 99, 0, o, 100, 1},
		{"doubled", policy{0, 0, 100}, 200, 0, 0, m, 200, 0},
		{"halved", policy{0, 0, 100}, 50, 0, 0, m, 50, 0},
		{"hardly halved", policy{0, 0, 100}, 51, 0, 0, o, 100, 1},
		{"half is new", policy{0, 0, 100}, 100, 50, 0, m, 100, 0},
		{"less is new", policy{0, 0, 100}, 100, 49, 0, o, 100, 1},
		{"one is new", policy{0, 0, 1}, 1, 1, 0, m, 1, 0},
		{"alarm", policy{0, 0, 100}, 100, 0, 3, m, 100, 0},
		{"alarm before", policy{0, 0, 100}, 100, 0, 2, o, 100, 1},
		{"alarm after", policy{0, 0, 100}, 100, 0, 4, o, 100, 1},
		{"backstop", policy{0, 7, 100}, 120, 0, 0, m, 120, 0},
		{"backstop late", policy{0, 9, 100}, 100, 0, 0, m, 100, 0},
		{"gentle", policy{4, 5, 100}, 100, 0, 0, g, 100, 6},
	} {
		p, kind := c.p.next(set, c.n, c.born, c.since)
		if kind != c.want || p != (policy{c.p.refreshes + 1, c.sinceThen, c.points}) {
			t.Errorf("%s: %v, %+v", c.name, kind, p)
		}
	}
	set.GentleEvery, set.Backstop, set.AfterAlarm, set.Growth = 0, 0, nil, 0
	if _, kind := (policy{0, 999, 1}).next(set, 5000, 4999, 21); kind != Ordinary {
		t.Errorf("%v, and all others are off", kind)
	}
}

// TestDueSays: Due predicts the kind of the next refresh from a state, as the map does.
func TestDueSays(t *testing.T) {
	set := Settings{GentleEvery: 4, Backstop: 10, AfterAlarm: []int{3}, Growth: 2}
	for _, c := range []struct {
		s    State
		n    int
		want Kind
	}{
		{State{MajorPoints: 10}, 1, Still}, {State{MajorPoints: 2}, 2, Ordinary}, {State{MajorPoints: 9, SinceMajor: 3}, 9, Gentle},
		{State{MajorPoints: 9, SinceMajor: 9, Refreshes: 30}, 9, Major}, {State{MajorPoints: 9, Alarm: 3}, 9, Major}, {State{MajorPoints: 9, Alarm: 2}, 9, Ordinary}, {State{MajorPoints: 9, Alarm: 4}, 9, Ordinary},
	} {
		if got := set.Due(c.s, c.n, 0); got != c.want {
			t.Errorf("%+v: %v, want %v", c, got, c.want)
		}
	}
	if got := (Settings{AfterAlarm: []int{0}}).Due(State{MajorPoints: 9}, 9, 0); got != Ordinary {
		t.Errorf("without an alarm, a %v refresh follows it", got)
	}
	if got := (Settings{Growth: 0.5}).Due(State{}, 9, 0); got != Still {
		t.Errorf("settings that are refused want a %v refresh", got)
	}
	for k, want := range map[Kind]string{-1: "unknown", Still: "still", Ordinary: "ordinary", Gentle: "gentle", Major: "major", Major + 1: "unknown"} {
		if k.String() != want {
			t.Errorf("kind %d is %s", int(k), k)
		}
	}
}

// TestAlarmEdges: the thresholds where the alarm begins, ends and forgets blocks.
func TestAlarmEdges(t *testing.T) {
	set := AlarmSettings{Percentile: 0.5, Blocks: 2, Deviations: 1, Least: 100}
	next := func(blocks []Block, now Block, since, n, last int) (alarm, Alarm) {
		return (&alarm{set: set, now: now, blocks: blocks, since: since}).next(n, last)
	}
	for _, c := range []struct {
		name   string
		blocks []Block
		now    Block
		since  int
		n      int
		want   Alarm
	}{
		{"few events", nil, Block{99, 99}, 0, 400, Alarm{Events: 99, Share: 1}},
		{"enough", nil, Block{100, 100}, 0, 400, Alarm{Raised: true, Since: 1, Events: 100, Share: 1}},
		{"two blocks", []Block{{50, 50}}, Block{50, 50}, 0, 400, Alarm{Raised: true, Since: 1, Events: 100, Share: 1}},
		{"a third is dropped", []Block{{70, 70}, {50, 50}}, Block{49, 49}, 0, 400, Alarm{Events: 99, Share: 1}},
		{"it lasts", nil, Block{}, 2, 400, Alarm{Since: 3}},
		{"it ends", nil, Block{}, 3, 400, Alarm{}},
		{"it begins again", nil, Block{200, 200}, 3, 400, Alarm{Raised: true, Since: 1, Events: 200, Share: 1}},
		{"not before it ends", nil, Block{200, 200}, 2, 400, Alarm{Since: 3, Events: 200, Share: 1}},
		{"no points", nil, Block{200, 200}, 0, 0, Alarm{Raised: true, Since: 1, Events: 200}},
	} {
		a, got := next(c.blocks, c.now, c.since, c.n, 3)
		if c.want.Events > 0 && c.n > 0 {
			c.want.Bound = 0.5 + math.Sqrt(0.25*(1/float64(c.want.Events)+1/float64(c.n)))
		}
		if c.n == 0 { // nothing is known without points
			c.want.Raised, c.want.Since = false, 0
		}
		if got != c.want || a.since != got.Since || a.now != (Block{}) || len(a.blocks) > 2 || a.blocks[len(a.blocks)-1] != c.now {
			t.Errorf("%s: %+v, want %+v; %+v", c.name, got, c.want, a)
		}
	}
	// A share equal to the bound is not above it: 75 of 100, with a standard deviation of 1/4.
	set.Deviations = 1
	set.Percentile = 0.5
	if a, got := next(nil, Block{2, 2}, 0, 2, 3); got.Share != 1 || got.Bound != 1 || a.since != 0 {
		t.Errorf("%+v", got)
	}
	set.Least = 1
	if _, got := next(nil, Block{2, 2}, 0, 2, 3); got.Raised {
		t.Errorf("a share that is the bound raises the alarm: %+v", got)
	}
	if _, got := next(nil, Block{4, 4}, 0, 4, 3); !got.Raised {
		t.Errorf("a share above the bound raises none: %+v", got)
	}
	a := &alarm{set: AlarmSettings{Percentile: 0.5}}
	a.count([]float32{0.5, 0.25, 0.75, 1})
	if a.now != (Block{4, 2}) {
		t.Errorf("of four events two are beyond a half: %+v", a.now)
	}
	if got := (AlarmSettings{}).withDefaults(); got != (AlarmSettings{0.95, 5, 3.5, 200}) {
		t.Errorf("defaults %+v", got)
	}
	for want, bad := range map[string]AlarmSettings{
		"percentile 0,": {Percentile: -1}, "percentile 1,": {Percentile: 1}, "percentile NaN": {Percentile: math.NaN()}, "0 blocks": {Blocks: -1}, "at 0 standard": {Deviations: -1},
	} {
		if err := bad.withDefaults().check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", bad, err, want)
		}
	}
	if err := (AlarmSettings{Blocks: 1, Percentile: 1e-9, Deviations: 1e-9}).withDefaults().check(); err != nil {
		t.Error(err)
	}
}

// TestSettingsFilled: defaults, and the errors for refused values.
func TestSettingsFilled(t *testing.T) {
	s, err := Settings{LVM: lvm.Settings{Common: models.Common{Seed: 7}}}.withDefaults()
	if err != nil || s.LVM.Dims != 2 || s.LVM.Search.Seed != 7 || s.NoveltyK != novelty.DefaultK || s.GentleEvery != 5 || s.Backstop != 50 || s.Spread != 10 || !slices.Equal(s.AfterAlarm, []int{20, 40}) {
		t.Errorf("%+v, %v", s, err)
	}
	if s.Ordinary != (Schedule{Steps: 5, Ratio: 1, Reach: 1, Momentum: 0.9, Anchor: 0.1}) || s.Gentle != (Schedule{Steps: 50, Ramp: 35, Ratio: 1, Reach: 50, Momentum: 0.7, Anchor: byPoints}) {
		t.Errorf("%+v, %+v", s.Ordinary, s.Gentle)
	}
	if r := s.Gentle.refinement(); r != (student.Refinement{Steps: 50, Ramp: 35, Ratio: 1, Reach: 50, Momentum: 0.7, Anchor: byPoints}) {
		t.Errorf("%+v", r)
	}
	own := Settings{NoveltyK: 3, GentleEvery: -2, Backstop: -1, Growth: -1, Spread: 4, AfterAlarm: []int{}, Ordinary: Schedule{Steps: -1, Anchor: -1, Momentum: 0.5}}
	s, err = own.withDefaults()
	if err != nil || s.NoveltyK != 3 || s.GentleEvery != 0 || s.Backstop != 0 || s.Growth != 0 || s.Spread != 4 || len(s.AfterAlarm) > 0 || s.Ordinary != (Schedule{Ratio: 1, Reach: 1, Momentum: 0.5}) {
		t.Errorf("%+v, %v", s, err)
	}
	var paper Settings
	paper.LVM.Tails = lvm.Gaussian
	if s, err = paper.withDefaults(); err != nil || s.Ordinary != (Schedule{Steps: 5, Momentum: 0.9, Anchor: 10}) || s.Gentle != (Schedule{Steps: 50, Momentum: 0.7, Anchor: 1}) {
		t.Errorf("%+v, %+v, %v", s.Ordinary, s.Gentle, err)
	}
	if (Settings{}).neighbors() != student.DefaultNeighbors || paper.neighbors() != saul.DefaultNeighbors {
		t.Errorf("%d and %d neighbours", Settings{}.neighbors(), paper.neighbors())
	}
	for _, c := range []struct {
		k, lists, novelty, want int
	}{{0, 0, 3, 8}, {5, 0, 3, 5}, {5, 9, 3, 9}, {5, 9, 12, 12}} {
		s := Settings{NoveltyK: c.novelty}
		s.LVM.Neighbors, s.LVM.Lists = c.k, c.lists
		if s.lists() != c.want || s.fit().Lists != c.want {
			t.Errorf("%+v: lists of %d", c, s.lists())
		}
	}
	given := Settings{Frame: NewFrame}
	given.LVM.Student.Prior.Frame = prior.Given
	bad := func(change func(s *Settings)) Settings {
		var s Settings
		change(&s)
		return s
	}
	for want, s := range map[string]Settings{
		"no frame 2":                         {Frame: 2},
		"coordinates given":                  given,
		"-1 neighbours for novelty":          {NoveltyK: -1},
		"grown 1-fold":                       {Growth: 1},
		"grown NaN-fold":                     {Growth: math.NaN()},
		"a spread of 0":                      {Spread: -1},
		"a spread of +Inf":                   {Spread: math.Inf(1)},
		"an ordinary refresh with momentum":  {Ordinary: Schedule{Momentum: 1}},
		"a gentle refresh with momentum":     {Gentle: Schedule{Momentum: 1.5}},
		"an ordinary refresh with a ratio":   {Ordinary: Schedule{Ratio: 0.5}},
		"a ratio of 2e+06":                   {Gentle: Schedule{Ratio: 2e6}},
		"a reach of 0.5":                     {Gentle: Schedule{Reach: 0.5}},
		"a reach of 2e+06":                   {Ordinary: Schedule{Reach: 2e6}},
		"a gentle refresh with an anchor":    {Gentle: Schedule{Anchor: math.Inf(1)}},
		"an ordinary refresh with an anchor": {Ordinary: Schedule{Anchor: math.NaN()}},
		"live: alarm by 0 blocks":            {Alarm: AlarmSettings{Blocks: -1}},
		"a ramp of 3":                        bad(func(s *Settings) { s.LVM.Tails, s.Ordinary.Ramp = lvm.Gaussian, 3 }),
		"a ratio of 2 ":                      bad(func(s *Settings) { s.LVM.Tails, s.Ordinary.Ratio = lvm.Gaussian, 2 }),
		"and a reach of 2:":                  bad(func(s *Settings) { s.LVM.Tails, s.Gentle.Reach = lvm.Gaussian, 2 }),
		"neighbors":                          bad(func(s *Settings) { s.LVM.Neighbors = -1 }),
	} {
		if _, err := s.withDefaults(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, s := range []Settings{
		{NoveltyK: 1, Growth: 1.0001, Gentle: Schedule{Ratio: 1e6, Reach: 1e6, Momentum: 0.999}}, {Ordinary: Schedule{Ratio: 1, Reach: 1}}, {Frame: NewFrame}, {Ordinary: Schedule{Ratio: -1, Reach: -1, Ramp: -1}},
	} {
		if _, err := s.withDefaults(); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// TestFirmness: maps of few points are held more firmly, and learnt again after less growth.
func TestFirmness(t *testing.T) {
	for n, want := range map[int]float64{0: 10, 1: 10, 2000: 10, 4000: 5, 20_000: 1, 20_001: 1, 1 << 30: 1} {
		if got := firmness(n); got != want {
			t.Errorf("%d points: %v, want %v", n, got, want)
		}
	}
	s, err := Settings{}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]float64{100: 0.3, 10_000: 0.3, 16_000: 0.01 * math.Pow(1.25, 5), 20_000: 0.01, 90_000: 0.01} {
		if got := s.gentle(n).Anchor; math.Abs(got-want) > 1e-12 {
			t.Errorf("%d points: an anchor of %v, want %v", n, got, want)
		}
	}
	own := s
	own.Gentle.Anchor = 0.25
	if got := own.gentle(100); got != own.Gentle {
		t.Errorf("%+v, want the setting's", got)
	}
	for n, want := range map[int]float64{1: 1.1, 4999: 1.1, 5000: 1.2, 19_999: 1.2, 20_000: 1.5} {
		if got := s.growth(n); got != want {
			t.Errorf("%d points: growth %v, want %v", n, got, want)
		}
	}
	for _, c := range []struct {
		was, now float64
		want     bool
	}{{1000, 1100, true}, {1000, 1099, false}, {1100, 1000, true}, {1100, 1001, false}, {10_000, 12_000, true}, {10_000, 11_999, false}, {12_000, 10_000, true}, {12_000, 10_001, false}, {20_000, 30_000, true}, {20_000, 29_999, false}, {30_000, 20_000, true}, {30_000, 20_001, false}} {
		if got := s.grown(c.was, c.now); got != c.want {
			t.Errorf("from %v to %v points: %v", c.was, c.now, got)
		}
	}
}

// TestEquals: rows are found by their values, also among others of the same hash.
func TestEquals(t *testing.T) {
	rows := map[int32][]float32{3: {1, 0, 2}, 5: {1, 0, 3}, 9: {0, 0, 0}}
	of := func(slot int32) []float32 { return rows[slot] }
	e := newEquals()
	for _, slot := range []int32{3, 5, 9} {
		e.add(rows[slot], slot)
	}
	minus := float32(math.Copysign(0, -1))
	for _, c := range []struct {
		row  []float32
		want int32
	}{{[]float32{1, minus, 2}, 3}, {[]float32{1, 0, 3}, 5}, {[]float32{0, minus, 0}, 9}, {[]float32{1, 0, 4}, -1}} {
		if got := e.find(c.row, of); got != c.want {
			t.Errorf("%v is in slot %d, want %d", c.row, got, c.want)
		}
	}
	// All have the same hash.
	h := e.hash(rows[3])
	e.slots = map[uint64][]int32{h: {5, 3, 9}}
	if got := e.find(rows[3], of); got != 3 {
		t.Errorf("among others it is in slot %d", got)
	}
	e.remove(rows[3], 3)
	if got := e.find(rows[3], of); got != -1 || !slices.Equal(e.slots[h], []int32{5, 9}) {
		t.Errorf("removed, it is in slot %d: %v", got, e.slots[h])
	}
	e.slots = map[uint64][]int32{h: {3}}
	if e.remove(rows[3], 3); len(e.slots) > 0 {
		t.Errorf("the last one leaves %v", e.slots)
	}
}

// TestAlarmLasts: an alarm lasts until the last refresh that it triggers.
func TestAlarmLasts(t *testing.T) {
	m := &Map{set: Settings{Alarm: AlarmSettings{Blocks: 7}}}
	if m.alarmLasts() != 7 {
		t.Errorf("%d refreshes", m.alarmLasts())
	}
	if m.set.AfterAlarm = []int{9, 3}; m.alarmLasts() != 10 {
		t.Errorf("%d refreshes", m.alarmLasts())
	}
	if m.cpu() != 0 {
		t.Errorf("%v seconds of no clock", m.cpu())
	}
}
