package live

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/prior"
	"unfold/models/snapshot"
	"unfold/models/student"
)

// TestUnits compares size, weight and unit with their formulas, and the published unit of each kind
// of refresh.
func TestUnits(t *testing.T) {
	m, err := restored(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := m.Snapshot()
	s.Student.Clip, s.Student.Weight, s.Student.Unit = [2]float64{0.4, 40}, 0.5, 3
	g := math.Pow(0.4*40, 0.25)
	if Unit(s) != g || push(s) != 0.5*29 || math.Abs(m.unit()-3*g*g) > 1e-12 || math.Abs(sizeOf(100, 7)-math.Pow(100, 0.12)*math.Pow(7, 0.3)) > 1e-12 {
		t.Errorf("unit %v, push %v, %v", Unit(s), push(s), m.unit())
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
		if got := m.weight(c.n, 0); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v: %v", c, got)
		}
	}
	m.set.LVM.Student.Weight = 0
	if got, want := m.weight(15, 9), min(0.5*29/14, max(0.5, student.Weight(15, 15*8, 9))); got != want {
		t.Errorf("a weight of %v, want %v", got, want)
	}
	from, stayed, natural := vec.Of(3, 1, []float64{0, 3, 6}), vec.Of(3, 1, []float64{0, 1, 2}), 3.1
	m.extent = natural * sizeOf(30, 14.5)
	for _, c := range []struct {
		name         string
		kind         Kind
		frame        MajorFrame
		weight       float64
		from, stayed vec.Matrix[float64]
		want         float64
	}{
		{"ordinary", Ordinary, KeepFrame, 0.5, from, stayed, g},
		{"more push", Ordinary, KeepFrame, 1, from, stayed, g},
		{"less push", Gentle, KeepFrame, 0.25, from, stayed, g * math.Pow(2, 0.3)},
		{"major", Major, KeepFrame, 0.5, from, stayed, math.Pow(3, 0.8) * math.Pow(natural, 0.2)},
		{"major, far from the natural size", Major, KeepFrame, 0.5, from, vec.Of(3, 1, []float64{0, 0.5 / natural, 1 / natural}), 6 * natural * math.Exp(-0.01)},
		{"major, far below the natural size", Major, KeepFrame, 0.5, from, vec.Of(3, 1, []float64{0, 6 / natural, 12 / natural}), 0.5 * natural * math.Exp(0.01)},
		{"major, none stayed", Major, KeepFrame, 0.5, from.Slice(0, 2), stayed.Slice(0, 2), natural},
		{"major, at one place", Major, KeepFrame, 0.5, vec.New[float64](3, 1), stayed, natural},
		{"major, to one place", Major, KeepFrame, 0.5, from, vec.New[float64](3, 1), natural},
		{"an epoch", Major, NewFrame, 0.5, from, stayed, natural},
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
	if Unit(s) != 1 || Unit(&snapshot.Snapshot{}) != 1 {
		t.Errorf("units %v and %v without bounds", Unit(s), Unit(&snapshot.Snapshot{}))
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

// TestMajorFrame: a major refresh holds points to their places before, except points that saw no
// major yet. It starts from a map of the given spread.
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
	// A prior holds points to their earlier places. With a budget only the three new ones are free,
	// without one also a point that saw no major.
	for _, c := range []struct {
		set   prior.Schedule
		since age
	}{{prior.Schedule{}, young}, {prior.Firm(), old}} {
		m.set.Prior = c.set
		if st, err = m.frame(t.Context(), h, x, slots, nb, m.gather(slots)); err != nil {
			t.Fatal(err)
		}
		frame := m.gather(slots).Mu
		for i, slot := range slots {
			if m.age[slot] < c.since {
				frame.Row(i)[0] = math.NaN()
			}
		}
		own := prior.New(frame)
		own.Fit(st.Mu)
		if got, want := h.Model.LogPrior(st), own.LogDensity(st.Mu, prior.Firm().To, 1); got != want || got == 0 {
			t.Errorf("points since %d: the log prior is %v, want %v", c.since, got, want)
		}
	}
}

// TestAdopt: drift after a refresh counts from a point's place at the start of the epoch, or at its
// first major.
func TestAdopt(t *testing.T) {
	for _, c := range []struct {
		name         string
		kind         Kind
		frame        MajorFrame
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

// TestQuantilesOfMoves: quantiles of the moves, in percent of the diameter.
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
