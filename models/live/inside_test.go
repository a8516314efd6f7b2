package live

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"unfold/internal/testkit/ending"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/modeltest"
	"unfold/models/novelty"
	"unfold/models/prior"
	"unfold/models/saul"
	"unfold/models/snapshot"
	"unfold/models/student"
	"unfold/sparse/knn"
)

// TestPolicy: which refresh is due follows from counters alone: a sequence, and each edge.
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

// TestDueSays: what will be due is told from a state, as the map itself does it.
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

// TestAlarmEdges: where the alarm begins, ends and forgets.
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
		if c.n == 0 { // of no points nothing is known
			c.want.Raised, c.want.Since = false, 0
		}
		if got != c.want || a.since != got.Since || a.now != (Block{}) || len(a.blocks) > 2 || a.blocks[len(a.blocks)-1] != c.now {
			t.Errorf("%s: %+v, want %+v; %+v", c.name, got, c.want, a)
		}
	}
	// A share that just reaches the bound is none above it: 75 of 100 with one standard deviation of 1/4.
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

// TestSettingsFilled: defaults and what is refused, by what the error says.
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

// TestFirmness: maps of few points are held more firmly, and learnt again at less growth.
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
	if s.growth(19_999) != 1.2 || s.growth(20_000) != 1.5 {
		t.Errorf("growth %v and %v about 20,000 points", s.growth(19_999), s.growth(20_000))
	}
	for _, c := range []struct {
		was, now float64
		want     bool
	}{{1000, 1200, true}, {1000, 1199, false}, {1200, 1000, true}, {1200, 1001, false}, {20_000, 30_000, true}, {20_000, 29_999, false}, {30_000, 20_000, true}, {30_000, 20_001, false}} {
		if got := s.grown(c.was, c.now); got != c.want {
			t.Errorf("from %v to %v points: %v", c.was, c.now, got)
		}
	}
}

// TestEquals: rows are found by their values, among others of the same hash, too.
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
	// All of the same hash.
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

// TestStateChecked: a state that does not belong to a snapshot is refused, with the reason.
func TestStateChecked(t *testing.T) {
	s := &snapshot.Snapshot{Reference: vec.New[float32](3, 2), Mu: vec.New[float64](3, 2)}
	for _, c := range []struct {
		st   State
		want string
	}{
		{State{}, ""}, {State{Slots: []int32{0, 4, 1<<20 + 6}, Origin: make([]byte, 48), Extent: 2, Landmarks: &LandmarkState{}, Blocks: []Block{{}, {3, 3}}}, ""},
		{State{Slots: []int32{0, 4}}, "2 slots for 3 points"}, {State{Slots: []int32{0, 4, 1<<20 + 7}}, "slot 1048583 of point 2"},
		{State{Slots: []int32{-1, 4, 5}}, "slot -1 of point 0"}, {State{Slots: []int32{1, 1, 5}}, "slot 1 of point 1"}, {State{Slots: []int32{1, 0, 5}}, "slot 0 of point 1"},
		{State{Origin: make([]byte, 47)}, "47 bytes"}, {State{Refreshes: -1}, "counter"}, {State{SinceMajor: -1}, "counter"}, {State{MajorPoints: -1}, "counter"}, {State{Alarm: -1}, "counter"},
		{State{Extent: -1}, "extent of -1"}, {State{Extent: math.Inf(1)}, "extent of +Inf"}, {State{Extent: math.NaN()}, "extent of NaN"},
		{State{Landmarks: &LandmarkState{Level: -1}}, "level -1"}, {State{Blocks: []Block{{-1, -1}}}, "-1 of -1"}, {State{Blocks: []Block{{2, -1}}}, "-1 of 2"}, {State{Blocks: []Block{{1, 1}, {2, 3}}}, "3 of 2"},
	} {
		err := c.st.check(s)
		if (err == nil) != (c.want == "") || err != nil && (!models.IsBadInput(err) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.st, err, c.want)
		}
	}
}

// restored is a map of a snapshot that needs no learning, in slots with gaps, and its state.
func restored(t *testing.T, change func(s *snapshot.Snapshot, st *State, set *Settings)) (*Map, error) {
	t.Helper()
	s, _ := modeltest.Snapshot(t, 3, 30, 4, 0, 2)
	s = modeltest.Heavy(s)
	s.Neighbors = student.DefaultNeighbors
	st := State{Refreshes: 12, SinceMajor: 3, MajorPoints: 28, Alarm: 4, Blocks: []Block{{10, 2}, {20, 3}}, Extent: 2.5}
	for i := range int32(30) {
		st.Slots = append(st.Slots, 2*i+i/20)
	}
	for i, v := range s.Mu.Data {
		if i/2 == 11 {
			v = math.NaN()
		}
		st.Origin = binary.LittleEndian.AppendUint64(st.Origin, math.Float64bits(v+1))
	}
	set := quick()
	if change != nil {
		change(s, &st, &set)
	}
	return Restore(t.Context(), s, st, set)
}

// TestRestoredMap: a restored map has the points in their slots, with their places, variances, counts,
// origins and ages, the counters of its state, and tells the same state again.
func TestRestoredMap(t *testing.T) {
	m, err := restored(t, func(s *snapshot.Snapshot, _ *State, _ *Settings) { s.Count[4] = 3 })
	if err != nil {
		t.Fatal(err)
	}
	s := m.Snapshot()
	if m.Len() != 30 || m.Count(-1) != 0 || m.Count(1) != 0 || m.Count(1000) != 0 || m.Count(int32(len(m.count))) != 0 || m.Count(8) != 3 || m.Count(0) != 1 {
		t.Errorf("%d points, counts %v", m.Len(), m.count)
	}
	for i, slot := range m.Slots() {
		want := old
		if i == 11 {
			want = young
		}
		if slot != int32(2*i+i/20) || !slices.Equal(m.lists.Row(slot), s.Reference.Row(i)) || !slices.Equal(m.place(slot), s.Mu.Row(i)) || m.sigma2[slot] != s.Sigma2[i] || m.age[slot] != want {
			t.Errorf("point %d in slot %d: %v at %v, age %d", i, slot, m.lists.Row(slot), m.place(slot), m.age[slot])
		}
		if begun := m.begun(slot); i != 11 && (begun[0] != s.Mu.Row(i)[0]+1 || begun[1] != s.Mu.Row(i)[1]+1) {
			t.Errorf("point %d began at %v", i, begun)
		}
		if got := m.equal.find(s.Reference.Row(i), m.lists.Row); got != slot {
			t.Errorf("the row of point %d is found in slot %d", i, got)
		}
	}
	st := m.State()
	if st.Refreshes != 12 || st.SinceMajor != 3 || st.MajorPoints != 28 || st.Alarm != 4 || !slices.Equal(st.Blocks, []Block{{10, 2}, {20, 3}}) || st.Extent != 2.5 || !slices.Equal(st.Slots, m.Slots()) {
		t.Errorf("%+v", st)
	}
	for i := range 60 {
		v := math.Float64frombits(binary.LittleEndian.Uint64(st.Origin[8*i:]))
		if i/2 == 11 && !math.IsNaN(v) || i/2 != 11 && v != s.Mu.Data[i]+1 {
			t.Errorf("coordinate %d began at %v", i, v)
		}
	}
	// New points take the lowest slots that are free, the gaps among those before.
	slots := change(t, m, nil, blobs(11, 4, 9))
	if !slices.Equal(slots, []int32{1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21}) || m.Len() != 41 || m.born != 11 {
		t.Errorf("new points are in slots %v, %d are born", slots, m.born)
	}
	if change(t, m, []int32{1, 8, 0}, none); m.Len() != 39 || m.born != 10 || m.gone != 1 || m.Count(8) != 2 {
		t.Errorf("%d points, %d born, %d gone, %d", m.Len(), m.born, m.gone, m.Count(8))
	}

	m, err = restored(t, func(_ *snapshot.Snapshot, st *State, _ *Settings) { *st = State{} })
	if err != nil {
		t.Fatal(err)
	}
	s = m.Snapshot()
	if st := m.State(); st.MajorPoints != 30 || st.Refreshes != 0 || m.Slots()[29] != 29 || math.Abs(st.Extent-unitOf(s)*sizeOf(30, push(s))) > 1e-12 {
		t.Errorf("%+v", st)
	}
	for i := range int32(30) {
		if m.age[i] != old || !slices.Equal(m.begun(i), s.Mu.Row(int(i))) {
			t.Errorf("point %d began at %v", i, m.begun(i))
		}
	}
}

// TestRestoreRefuses: settings that are not those of the map, and snapshots that are none.
func TestRestoreRefuses(t *testing.T) {
	for want, f := range map[string]func(s *snapshot.Snapshot, st *State, set *Settings){
		"does not fit":          func(s *snapshot.Snapshot, _ *State, _ *Settings) { s.Kind = "" },
		"in 2 dimensions":       func(_ *snapshot.Snapshot, _ *State, set *Settings) { set.LVM.Dims = 3 },
		"and 8 neighbours, the": func(_ *snapshot.Snapshot, _ *State, set *Settings) { set.LVM.Neighbors = 9 },
		"the settings want 2, ": func(_ *snapshot.Snapshot, _ *State, set *Settings) {
			set.LVM.Tails, set.LVM.Neighbors = lvm.Gaussian, student.DefaultNeighbors
		},
		"under the distance": func(_ *snapshot.Snapshot, _ *State, set *Settings) { set.LVM.Distance = 1 },
		"counter":            func(_ *snapshot.Snapshot, st *State, _ *Settings) { st.Alarm = -1 },
		"grown 0.5":          func(_ *snapshot.Snapshot, _ *State, set *Settings) { set.Growth = 0.5 },
	} {
		if _, err := restored(t, f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestPlan: places that are given are where new points start, and what is no place is refused.
func TestPlan(t *testing.T) {
	m, err := restored(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := blobs(3, 4, 9)
	copy(x.Row(1), x.Row(0))
	at := vec.Of(3, 2, []float64{1, 2, -3, math.MaxFloat32, 7, 8})
	for _, v := range []float64{math.NaN(), math.Inf(1), -math.MaxFloat32 * 1.01} {
		bad := at.Clone()
		bad.Row(1)[0] = v
		if _, err := m.Change(t.Context(), nil, x, bad); !models.IsBadInput(err) || !strings.Contains(err.Error(), "row 1 has the place") {
			t.Errorf("%v: %v", v, err)
		}
	}
	for _, bad := range []vec.Matrix[float64]{vec.New[float64](2, 2), vec.New[float64](3, 3)} {
		if _, err := m.Change(t.Context(), nil, x, bad); err == nil {
			t.Errorf("%d places in %d dimensions are taken", bad.Rows, bad.Cols)
		}
	}
	if _, err := m.Change(t.Context(), []int32{-1}, x, at); err == nil || !strings.Contains(err.Error(), "slot -1") {
		t.Errorf("slot -1: %v", err)
	}
	if _, err := m.Change(t.Context(), []int32{int32(len(m.count))}, x, at); err == nil {
		t.Error("a slot beyond all")
	}
	slots, err := m.Change(t.Context(), nil, x, at)
	if err != nil || slots[1] != slots[0] || m.Count(slots[0]) != 2 || m.Count(slots[2]) != 1 {
		t.Fatalf("%v, %v", slots, err)
	}
	if !slices.Equal(m.place(slots[0]), at.Row(0)) || !slices.Equal(m.place(slots[2]), at.Row(2)) || m.sigma2[slots[0]] != m.usual() || m.age[slots[2]] != newborn || m.label[slots[0]] != "" {
		t.Errorf("new points start at %v and %v", m.place(slots[0]), m.place(slots[2]))
	}
	if again := change(t, m, nil, x.Slice(2, 3)); again[0] != slots[2] || m.Count(slots[2]) != 2 || m.born != 2 {
		t.Errorf("an equal row is in slot %d, not %d, %d are born", again[0], slots[2], m.born)
	}
	if change(t, m, []int32{slots[2], slots[2]}, none); m.born != 1 || m.gone != 0 {
		t.Errorf("%d are born and %d gone, after one of the new ones went", m.born, m.gone)
	}
	if again := change(t, m, nil, x.Slice(2, 3)); m.born != 2 || m.Count(again[0]) != 1 {
		t.Errorf("the row that went is in slot %d again, %d are born", again[0], m.born)
	}
	if again := change(t, m, nil, m.Snapshot().Reference.Slice(0, 1)); again[0] != 0 || m.Count(0) != 2 {
		t.Errorf("the row of slot 0 is in slot %d", again[0])
	}
	// Without places a point starts where its own event is placed.
	y := blobs(2, 4, 11)
	slots = change(t, m, nil, y)
	placed, err := m.placed(t.Context(), y)
	if err != nil || !slices.Equal(m.place(slots[1]), placed.Row(1)) {
		t.Errorf("a new point starts at %v, its event is at %v: %v", m.place(slots[1]), placed.Row(1), err)
	}
	m.snap.Sigma2 = []float64{1, 2, 6}
	if m.usual() != 3 {
		t.Errorf("the usual variance is %v", m.usual())
	}
	if m.snap.Sigma2 = []float64{.1, .1, .1}; m.usual() != .1 {
		t.Errorf("the usual variance is %v", m.usual())
	}
	s := &snapshot.Snapshot{CellRecall: 0.9}
	if got := StartAt(s, vec.New[float32](3, 2)); got.Rows != 0 {
		t.Errorf("%d places by an approximate search", got.Rows)
	}
	s.CellRecall = 0
	if got := StartAt(s, vec.Of(1, 2, []float32{3, 4})); !slices.Equal(got.Data, []float64{3, 4}) {
		t.Errorf("%v", got)
	}
}

// TestUnits: size, push and unit by their formulas, and the published unit of each kind of refresh.
func TestUnits(t *testing.T) {
	m, err := restored(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := m.Snapshot()
	s.Student.Clip, s.Student.Weight, s.Student.Unit = [2]float64{0.4, 40}, 0.5, 3
	g := math.Pow(0.4*40, 0.25)
	if unitOf(s) != g || push(s) != 0.5*29 || math.Abs(m.unit()-3*g*g) > 1e-12 || math.Abs(sizeOf(100, 7)-math.Pow(100, 0.12)*math.Pow(7, 0.3)) > 1e-12 {
		t.Errorf("unit %v, push %v, %v", unitOf(s), push(s), m.unit())
	}
	st := m.gather(m.Slots())
	own := m.natural(st)
	if own.Mu.Data[5] != st.Mu.Data[5]*(1/g) || own.Sigma2[5] != st.Sigma2[5]*(1/(g*g)) || st.Mu.Data[5] != s.Mu.Data[5] {
		t.Errorf("%v and %v in the model's own unit", own.Mu.Data[5], own.Sigma2[5])
	}
	for _, c := range []struct {
		n    int
		of   float64
		want float64
	}{{60, 0.1, 0.5 * 29 / 59}, {15, 0.1, 0.5}, {15, 0.7, 0.7}, {15, 2, 0.5 * 29 / 14}, {1, 0.1, 0.5}, {2, 0.1, 0.5}, {2, 100, 14.5}, {1, 100, 14.5}} {
		m.set.LVM.Student.Weight = c.of
		if got := m.weight(c.n); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v: %v", c, got)
		}
	}
	m.set.LVM.Student.Weight = 0
	if got, want := m.weight(15), min(0.5*29/14, max(0.5, student.Weight(15, 15*8))); got != want {
		t.Errorf("a weight of %v, want %v", got, want)
	}
	from, stayed := vec.Of(3, 1, []float64{0, 3, 6}), vec.Of(3, 1, []float64{0, 1, 2})
	for _, c := range []struct {
		name         string
		kind         Kind
		frame        Frame
		weight       float64
		from, stayed vec.Matrix[float64]
		want         float64
	}{
		{"ordinary", Ordinary, KeepFrame, 0.5, from, stayed, g},
		{"more push", Ordinary, KeepFrame, 1, from, stayed, g},
		{"less push", Gentle, KeepFrame, 0.25, from, stayed, g * math.Pow(2, 0.3)},
		{"major", Major, KeepFrame, 0.5, from, stayed, math.Pow(3, 0.8) * math.Pow(2.5/sizeOf(30, 14.5), 0.2)},
		{"major, none stayed", Major, KeepFrame, 0.5, from.Slice(0, 2), stayed.Slice(0, 2), 2.5 / sizeOf(30, 14.5)},
		{"major, at one place", Major, KeepFrame, 0.5, vec.New[float64](3, 1), stayed, 2.5 / sizeOf(30, 14.5)},
		{"major, to one place", Major, KeepFrame, 0.5, from, vec.New[float64](3, 1), 2.5 / sizeOf(30, 14.5)},
		{"an epoch", Major, NewFrame, 0.5, from, stayed, 2.5 / sizeOf(30, 14.5)},
	} {
		r := &lvm.Result{Result: &models.Result{}, Student: &snapshot.Student{Weight: c.weight, Unit: 8, Clip: [2]float64{1, 2}, Error2: []float64{5}}}
		r.Mu, r.Sigma2 = vec.New[float64](30, 2), []float64{7}
		r.Mu.Data[0] = 1
		m.set.Frame = c.frame
		m.publish(r, c.kind, c.from, c.stayed)
		if w := c.want; !near(r.Mu.Data[0], w) || !near(r.Sigma2[0], 7*w*w) || !near(r.Student.Error2[0], 5*w*w) || !near(r.Student.Unit, 8/(w*w)) || !near(r.Student.Clip[0], w*w) || !near(r.Student.Clip[1], 2*w*w) {
			t.Errorf("%s: the unit is %v, want %v: %+v", c.name, r.Mu.Data[0], w, r.Student)
		}
	}
	s.Student.Clip[1] = math.MaxFloat64
	if unitOf(s) != 1 || unitOf(&snapshot.Snapshot{}) != 1 {
		t.Errorf("units %v and %v without bounds", unitOf(s), unitOf(&snapshot.Snapshot{}))
	}
	if own := m.natural(st); !slices.Equal(own.Mu.Data, st.Mu.Data) || !slices.Equal(own.Sigma2, st.Sigma2) {
		t.Error("a unit of 1 changes places")
	}
	if got := spread(vec.Of(4, 2, []float64{0, 0, 2, 0, 0, 2, 2, 2})); math.Abs(got-math.Sqrt2) > 1e-12 || spread(from.Slice(0, 2)) != 0 || spread(from) == 0 {
		t.Errorf("spreads %v, %v, %v", got, spread(from.Slice(0, 2)), spread(from))
	}
	if push(&snapshot.Snapshot{Reference: vec.New[float32](1, 1), Student: &snapshot.Student{Weight: 3}}) != 3 {
		t.Error("the push of one point")
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

// TestMajorFrame: a major is held to the places before, but for points that saw none yet, and starts
// from a map of the spread that is asked for.
func TestMajorFrame(t *testing.T) {
	m, err := restored(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	change(t, m, nil, blobs(3, 4, 9))
	slots, nb, _ := m.lists.compact()
	x := m.rows(slots)
	h, err := student.NewLearner(x, nb, m.set.fit().ForStudent(), m.unit())
	if err != nil {
		t.Fatal(err)
	}
	st := m.gather(slots)
	before := st.Mu.Clone()
	if st, err = m.frame(t.Context(), h, x, slots, nb, st); err != nil {
		t.Fatal(err)
	}
	prior.Scale(before, 10)
	if !slices.Equal(st.Mu.Data, before.Data) {
		t.Errorf("it starts from %v, want %v", st.Mu.Row(0), before.Row(0))
	}
	if free := len(slots) - len(m.stayed(slots)); free != 3 {
		t.Errorf("%d points are new", free)
	}
	// It is held to where they were by a prior that leaves those free that saw no major: three new ones, and one.
	frame := m.gather(slots).Mu
	for i, slot := range slots {
		if m.age[slot] != old {
			frame.Row(i)[0] = math.NaN()
		}
	}
	own := prior.New(frame)
	own.Fit(st.Mu)
	if got, want := h.Model.LogPrior(st), own.LogDensity(st.Mu, 10*prior.Firm().To, 1); got != want || got == 0 {
		t.Errorf("the log prior is %v, want %v", got, want)
	}
}

// TestAdopt: a refreshed map counts drift from where points began: of an epoch, or of their first major.
func TestAdopt(t *testing.T) {
	for _, c := range []struct {
		name         string
		kind         Kind
		frame        Frame
		drift        int
		beganYoung   bool
		beganNewborn age
	}{
		{"ordinary", Ordinary, KeepFrame, 29, false, young}, {"gentle", Gentle, KeepFrame, 29, false, young},
		{"major", Major, KeepFrame, 31, true, old}, {"epoch", Major, NewFrame, 31, true, old},
	} {
		m, err := restored(t, nil)
		if err != nil {
			t.Fatal(err)
		}
		m.set.Frame = c.frame
		fresh := change(t, m, nil, blobs(1, 4, 9))[0]
		slots := m.lists.Slots(nil)
		next := &snapshot.Snapshot{Mu: vec.New[float64](31, 2), Sigma2: make([]float64, 31)}
		for i := range next.Mu.Data {
			next.Mu.Data[i] = float64(i)
		}
		for i := range next.Sigma2 {
			next.Sigma2[i] = float64(1 + i)
		}
		r := &Report{Kind: c.kind, Diameter: 10}
		m.adopt(next, slots, r)
		if m.Snapshot() != next || m.born != 0 || m.gone != 0 || m.placer != nil || r.Drift.Points != c.drift || (r.Drift.P99 == 0) != (c.frame == NewFrame) {
			t.Errorf("%s: %+v", c.name, r)
		}
		for i, slot := range slots {
			if !slices.Equal(m.place(slot), next.Mu.Row(i)) || m.sigma2[slot] != float64(1+i) {
				t.Errorf("%s: slot %d is at %v", c.name, slot, m.place(slot))
			}
		}
		if m.age[fresh] != c.beganNewborn || (m.age[22] == old) != c.beganYoung {
			t.Errorf("%s: the new point has the age %d, the young one %d", c.name, m.age[fresh], m.age[22])
		}
		began := slices.Equal(m.begun(0), next.Mu.Row(0))
		if began != (c.frame == NewFrame) {
			t.Errorf("%s: an old point began at %v", c.name, m.begun(0))
		}
		for i, slot := range slots {
			if v := math.Float64frombits(binary.LittleEndian.Uint64(m.origins[16*i:])); math.IsNaN(v) != (m.age[slot] != old) || m.age[slot] == old && v != m.begun(slot)[0] {
				t.Errorf("%s: slot %d of age %d began at %v", c.name, slot, m.age[slot], v)
			}
		}
		if i := slices.Index(slots, fresh); (c.beganNewborn == old) != slices.Equal(m.begun(fresh), next.Mu.Row(i)) {
			t.Errorf("%s: the new point began at %v, is at %v", c.name, m.begun(fresh), next.Mu.Row(i))
		}
	}
}

// TestListsOfFew: lists of so few points that they have no k neighbours are of all others, by rank; those
// that are put into slots with gaps leave these to new points.
func TestListsOfFew(t *testing.T) {
	set, err := Settings{}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	x := vec.Of(4, 1, []float32{0, 1, 3, 7})
	l, err := restoreLists(t.Context(), x, []int32{1, 2, 5, 6}, set)
	if err != nil {
		t.Fatal(err)
	}
	slots, nb, parts := l.compact()
	want := &knn.Neighbors{N: 4, K: 3, Index: []int32{1, 2, 3, 0, 2, 3, 1, 0, 3, 2, 1, 0}, Dist2: []float64{1, 9, 49, 1, 4, 36, 4, 9, 16, 16, 36, 49}}
	if !slices.Equal(slots, []int32{1, 2, 5, 6}) || nb.N != 4 || nb.K != 3 || !slices.Equal(nb.Index, want.Index) || !slices.Equal(nb.Dist2, want.Dist2) || parts != nil {
		t.Errorf("%v: %+v", slots, nb)
	}
	for i, slot := range slots {
		if l.Row(slot)[0] != x.Data[i] {
			t.Errorf("slot %d holds %v", slot, l.Row(slot))
		}
	}
	came, err := l.change(t.Context(), []int32{2}, vec.Of(3, 1, []float32{20, 21, 22}))
	if err != nil || !slices.Equal(came, []int32{0, 2, 3}) {
		t.Errorf("new rows are in %v: %v", came, err)
	}
	if _, err := l.change(ended(), []int32{0}, none); !errors.Is(err, ended().Err()) {
		t.Errorf("%v of a context that ended", err)
	}
	if came, err := l.change(t.Context(), nil, none); came != nil || err != nil {
		t.Errorf("%v, %v of no change", came, err)
	}
	for _, slots := range [][]int32{nil, {0, 1, 2, 3}} {
		if l, err := restoreLists(t.Context(), x, slots, set); err != nil || !slices.Equal(l.Slots(nil), []int32{0, 1, 2, 3}) {
			t.Errorf("%v: %v", slots, err)
		}
	}
	if l, err = restoreLists(t.Context(), x.Slice(0, 0), nil, set); err != nil {
		t.Fatal(err)
	}
	if slots, nb, _ := l.compact(); len(slots) != 0 || nb.N != 0 || nb.K != 0 {
		t.Errorf("of no points: %v, %+v", slots, nb)
	}
	set.LVM.Tails = lvm.Gaussian
	set.LVM.Saul.Core = mostCore
	for core := mostCore; core <= mostCore+1; core++ {
		set.LVM.Saul.Core = core
		l, err := newLists(t.Context(), blobs(40, 3, 1), set)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, parts := l.compact(); (parts != nil) != (core == mostCore) {
			t.Errorf("core %d: parts are kept: %v", core, parts != nil)
		}
	}
}

// TestAlarmLasts: an alarm lasts until the last refresh that it calls for.
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

// TestQuantilesOfMoves: percentages of the diameter at their ranks.
func TestQuantilesOfMoves(t *testing.T) {
	from := vec.New[float64](3, 1)
	to := vec.Of(3, 1, []float64{3, 1, 2})
	if m := Measure(from, to, 10); m.Points != 3 || m.Median != 20 || m.P90 < m.Median || m.P99 < m.P90 || m.P99 > 30 {
		t.Errorf("%+v", m)
	}
	if m := Measure(from.Slice(0, 0), to.Slice(0, 0), 10); m != (Moves{}) {
		t.Errorf("%+v", m)
	}
	if d := Diameter(vec.Of(4, 1, []float64{5, 5, 5, 5})); d != 0 {
		t.Errorf("the diameter of one place is %v", d)
	}
	if d := Diameter(vec.Of(2, 2, []float64{0, 0, 6, 8})); d != 10 {
		t.Errorf("the diameter of two places is %v", d)
	}
}

// TestLabels: labels are given to slots, and take part under supervision only.
func TestLabels(t *testing.T) {
	m, err := restored(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	m.Label([]int32{2, 4, 8}, []string{"a", "b", ""})
	if got := m.labelled([]int32{0, 2, 4}); got != nil {
		t.Errorf("labels %v without supervision", got)
	}
	m.set.LVM.Student.Supervision = 0.5
	if got := m.labelled([]int32{0, 2, 4, 8}); !slices.Equal(got, []string{"", "a", "b", ""}) {
		t.Errorf("labels %v", got)
	}
}

// TestListsCancelled: lists that are cancelled anywhere have changed wholly or not at all.
func TestListsCancelled(t *testing.T) {
	set, err := Settings{}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	for left := 0; ; left++ {
		l, err := newLists(t.Context(), blobs(60, 3, 1), set)
		if err != nil {
			t.Fatal(err)
		}
		slots, err := l.change(ending.After(t.Context(), left), []int32{3, 9}, blobs(5, 3, 2))
		if err != nil {
			if !errors.Is(err, context.Canceled) || l.Len() != 60 || !l.Has(3) {
				t.Fatalf("%v, with %d points", err, l.Len())
			}
			continue
		}
		if l.Len() != 63 || !slices.Equal(slots, []int32{3, 9, 60, 61, 62}) {
			t.Fatalf("%d points, new ones in %v", l.Len(), slots)
		}
		break
	}
}

// TestRefreshSays: what a refresh reports and what its snapshot has follow from the map before and from its
// places.
func TestRefreshSays(t *testing.T) {
	for _, kind := range []Kind{Ordinary, Gentle, Major} {
		m, err := restored(t, func(s *snapshot.Snapshot, st *State, _ *Settings) {
			s.Steps = 100
			st.SinceMajor = map[Kind]int{Ordinary: 2, Gentle: 4, Major: 49}[kind]
		})
		if err != nil {
			t.Fatal(err)
		}
		change(t, m, []int32{4, 6}, blobs(1, 4, 9))
		before, slots := m.Snapshot(), m.Slots()
		r := refresh(t, m)
		s := m.Snapshot()
		if r.Kind != kind || r.Version != before.Version+1 || s.Version != r.Version || r.Epoch != before.Epoch || r.Points != 29 || r.Born != 1 || r.Gone != 2 || r.Alarm.Since != 5 {
			t.Errorf("%v: %+v", kind, r)
		}
		steps := r.Steps
		if kind != Major {
			steps += 100
		}
		if want := map[Kind]int{Ordinary: 5, Gentle: 50, Major: 40}[kind]; r.Steps != want || s.Steps != steps || r.CGIterations < want || s.Neighbors != 8 {
			t.Errorf("%v: %d steps, %d of the snapshot", kind, r.Steps, s.Steps)
		}
		if r.LoglikPoint != r.Loglik/29 || r.LoglikPair != r.Loglik/(29*28) || r.Diameter != Diameter(s.Mu) || r.Moves.Points != 28 {
			t.Errorf("%v: %+v", kind, r)
		}
		// No rigid motion lays the points that stayed nearer to where they were.
		var from, to []float64
		for i, slot := range m.Slots() {
			if at := slices.Index(slots, slot); at >= 0 && slices.Equal(before.Reference.Row(at), s.Reference.Row(i)) {
				from, to = append(from, s.Mu.Row(i)...), append(to, before.Mu.Row(at)...)
			}
		}
		laid := vec.Of(len(from)/2, 2, slices.Clone(from))
		Align(laid, vec.Of(len(from)/2, 2, from), vec.Of(len(to)/2, 2, to))
		if d := math.Sqrt(vec.SquaredDistance(laid.Data, from)); !(d < 1e-6*r.Diameter) || len(from) != 56 {
			t.Errorf("%v: the map is %v from where it fits best, by %d points", kind, d, len(from)/2)
		}
		if st := m.State(); st.Refreshes != 13 || st.Alarm != 5 || len(st.Blocks) != 3 {
			t.Errorf("%v: %+v", kind, st)
		}
	}
	// A map of fewer points than it has neighbours keeps their number.
	m, err := restored(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	change(t, m, m.Slots()[:28], none)
	if r := refresh(t, m); r.Points != 2 || r.Kind == Still || m.Snapshot().Neighbors != 8 {
		t.Errorf("two points: %+v, %d neighbours", r, m.Snapshot().Neighbors)
	}
	change(t, m, m.Slots()[:1], none)
	if r := refresh(t, m); r.Points != 1 || r.Kind != Still || r.Gone != 1 || m.Snapshot().Reference.Rows != 2 {
		t.Errorf("one point: %+v", r)
	}
}
