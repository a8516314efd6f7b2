package live

import (
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
)

// feed gives an alarm blocks of events with a share of novel ones, and returns its state after each
// block.
func feed(a *alarm, r *rand.Rand, blocks, events, points, last int, share float64) (out []Alarm) {
	for range blocks {
		local := make([]float32, events)
		for i := range local {
			if r.Float64() < share {
				local[i] = 0.99
			}
		}
		a.count(local)
		var said Alarm
		*a, said = a.next(points, last)
		out = append(out, said)
	}
	return out
}

func newAlarm() *alarm { return &alarm{set: AlarmSettings{}.withDefaults()} }

// TestAlarm: the alarm begins when a few percent more of the events are novel, hardly ever
// otherwise, and lasts as long as specified.
func TestAlarm(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	raised, blocks := 0, 0
	for range 40 {
		for _, said := range feed(newAlarm(), r, 100, 200, 20000, 41, 0.05) {
			blocks++
			if said.Raised {
				raised++
			}
		}
	}
	// A normal value exceeds 3.5 standard deviations about once in 3000 blocks.
	if raised > blocks/1000 {
		t.Errorf("%d alarms in %d blocks of nothing strange", raised, blocks)
	}
	late := 0
	for range 200 {
		a := newAlarm()
		feed(a, r, 5, 200, 20000, 41, 0.05)
		if a.since > 0 {
			continue
		}
		said := feed(a, r, 5, 200, 20000, 41, 0.09)
		if said[4].Since == 0 {
			late++
		}
	}
	if late > 20 {
		t.Errorf("%d of 200 times there is no alarm after 5 blocks with 9%% strange events", late)
	}
	a := newAlarm()
	said := feed(a, r, 9, 400, 1000, 3, 1)
	for b, want := range []int{1, 2, 3, 1, 2, 3, 1, 2, 3} { // while the events stay novel, it begins again
		if said[b].Since != want || said[b].Raised != (want == 1) {
			t.Errorf("block %d: %+v", b, said[b])
		}
	}
}

func TestAlarmBounds(t *testing.T) {
	a := newAlarm()
	a.count(make([]float32, 150))
	a.now.Beyond = 150
	if *a, _ = a.next(5000, 41); a.since != 0 {
		t.Error("an alarm by 150 events")
	}
	var said Alarm
	for range 6 {
		a.count(make([]float32, 250))
		*a, said = a.next(5000, 41)
	}
	if want := 0.05 + 3.5*math.Sqrt(0.05*0.95*(1./1250+1./5000)); said.Events != 1250 || math.Abs(said.Bound-want) > 1e-15 || said.Share != 0 {
		t.Errorf("%+v, want the bound %v", said, want)
	}
}

// TestCPU: reports use the given clock.
func TestCPU(t *testing.T) {
	set := quick()
	now := 0.0
	set.CPU = func() float64 { now += 2; return now }
	m, _ := fitted(t, blobs(60, 3, 1), set)
	if r := refresh(t, m); r.CPUSeconds != 2 || r.Seconds <= 0 {
		t.Errorf("%+v", r)
	}
}

// TestMeasure compares quantiles with values by hand, and measures a map without extent.
func TestMeasure(t *testing.T) {
	from, to := vec.New[float64](100, 2), vec.New[float64](100, 2)
	for i := range 100 {
		from.Row(i)[0] = float64(i)
		to.Row(i)[0], to.Row(i)[1] = float64(i), float64(99-i)
	}
	if m := Measure(from, to, 50); m != (Moves{Points: 100, Median: 100, P90: 180, P99: 198}) {
		t.Errorf("%+v", m)
	}
	if d := Diameter(from); d != 99 {
		t.Errorf("the diameter of 0 to 99 is %v", d)
	}
	if m := Measure(from, to, 0); m.Median != 0 || Diameter(vec.New[float64](0, 2)) != 0 {
		t.Errorf("%+v", m)
	}
}

// TestAlign: a turned, mirrored and moved copy is aligned with the original. A scaled copy keeps
// its scale.
func TestAlign(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	to := vec.New[float64](50, 3)
	for i := range to.Data {
		to.Data[i] = r.NormFloat64()
	}
	mu := vec.New[float64](50, 3)
	for i := range 50 {
		p, q := to.Row(i), mu.Row(i)
		q[0], q[1], q[2] = 7-0.6*p[0]+0.8*p[1], 0.8*p[0]+0.6*p[1]-2, -p[2]
	}
	Align(mu, mu.Clone(), to)
	for i, v := range mu.Data {
		if math.Abs(v-to.Data[i]) > 1e-12 {
			t.Fatalf("coordinate %d is %v, want %v", i, v, to.Data[i])
		}
	}
	for i := range mu.Data {
		mu.Data[i] *= 3
	}
	Align(mu, mu.Clone(), to)
	if d := Diameter(mu); math.Abs(d/Diameter(to)-3) > 1e-12 {
		t.Errorf("the scale has changed: diameter %v", d)
	}
}
