package live

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/lvm"
)

// quick returns settings for short fits.
func quick() Settings {
	return Settings{LVM: lvm.Settings{Common: models.Common{Steps: 40}}}
}

// TestStationary: in a stationary stream, points that stay hardly move, and the report matches the
// changes.
func TestStationary(t *testing.T) {
	m, slots := fitted(t, blobs(400, 6, 1), quick())
	if v := m.Snapshot(); v.Version != 1 || v.Epoch != 1 || m.Len() != 400 {
		t.Fatalf("version %d, epoch %d, %d points", v.Version, v.Epoch, m.Len())
	}
	fresh := blobs(100, 6, 2)
	for b := range 12 {
		before := m.Snapshot().Mu.Clone()
		gone := slots[8*b : 8*b+8]
		slots = append(slots, change(t, m, gone, fresh.Slice(8*b, 8*b+8))...)
		r := refresh(t, m)
		want, most := Ordinary, 1.
		if b%5 == 4 {
			want, most = Gentle, 5 // blobs without an inner order have many equally good arrangements
		}
		if r.Kind != want || r.Version != uint64(b+2) || r.Epoch != 1 || r.Points != 400 || r.Born != 8 || r.Gone != 8 {
			t.Errorf("refresh %d: %+v", b+1, r)
		}
		if r.Moves.Points != 392 || r.Moves.Median <= 0 || r.Moves.Median > most || r.Moves.Median > r.Moves.P90 || r.Moves.P90 > r.Moves.P99 {
			t.Errorf("refresh %d, %v: moves %+v", b+1, r.Kind, r.Moves)
		}
		if r.Drift.Points != 400-8*(b+1) || r.Loglik >= 0 || r.LoglikPoint != r.Loglik/400 || r.Steps == 0 {
			t.Errorf("refresh %d: %+v", b+1, r)
		}
		// The report agrees with the snapshots: new points use the slots that became free.
		moved := moves(before, m.Snapshot().Mu, gone)
		if d := Diameter(m.Snapshot().Mu); d != r.Diameter || math.Abs(moved/d*100-r.Moves.Median) > 1e-9 {
			t.Errorf("refresh %d: the median move is %v of %v, the report says %v %% of %v", b+1, moved, d, r.Moves.Median, r.Diameter)
		}
	}
}

// moves returns the median distance of rows, except some.
func moves(a, b vec.Matrix[float64], but []int32) float64 {
	var far []float64
	for i := range a.Rows {
		if !slices.Contains(but, int32(i)) {
			far = append(far, math.Sqrt(vec.SquaredDistance(a.Row(i), b.Row(i))))
		}
	}
	slices.Sort(far)
	return far[len(far)/2]
}

// TestMajors: growth by half, an alarm and the backstop each lead to a major refresh. All are in
// one coordinate frame, and points keep the origin of their drift.
func TestMajors(t *testing.T) {
	set := quick()
	set.Backstop = 7
	set.AfterAlarm = []int{1, 3}
	set.Growth, set.GentleEvery = 2, -1
	m, _ := fitted(t, blobs(100, 5, 1), set)
	first := m.Snapshot()
	kinds := func(n int) (out []Kind) {
		for range n {
			out = append(out, refresh(t, m).Kind)
		}
		return out
	}
	if got := kinds(8); !slices.Equal(got, []Kind{Ordinary, Ordinary, Ordinary, Ordinary, Ordinary, Ordinary, Major, Ordinary}) {
		t.Errorf("backstop: %v", got)
	}
	change(t, m, nil, blobs(100, 5, 3))
	if got := kinds(2); !slices.Equal(got, []Kind{Major, Ordinary}) {
		t.Errorf("growth: %v", got)
	}
	m.Novelty(slices.Repeat([]float32{0.5, 0.99}, 200))
	r := refresh(t, m)
	if !r.Alarm.Raised || r.Alarm.Since != 1 || r.Alarm.Events != 400 || r.Alarm.Share != 0.5 || r.Alarm.Bound < 0.11 || r.Alarm.Bound > 0.12 {
		t.Errorf("alarm: %+v", r.Alarm)
	}
	if got := kinds(4); !slices.Equal(got, []Kind{Major, Ordinary, Major, Ordinary}) {
		t.Errorf("alarm: %v", got)
	}
	if e := m.Snapshot().Epoch; e != 1 {
		t.Errorf("epoch %d after four majors", e)
	}
	// The first hundred have drifted since the fit, the others since their first major.
	if d := refresh(t, m).Drift; d.Points != 200 || !(d.Median > 0) {
		t.Errorf("drift %+v", d)
	}
	for i, slot := range m.Slots() {
		if moved := vec.SquaredDistance(first.Mu.Row(min(i, 99)), m.begun(slot)); (moved == 0) != (i < 100) {
			t.Fatalf("point %d drifts from a place that is %v from that of the fit", i, moved)
		}
	}
}

// TestMajorsInAFrame: a major keeps the coordinate frame. If a new frame is requested, it is fitted
// from scratch and begins an epoch.
func TestMajorsInAFrame(t *testing.T) {
	for _, c := range []struct {
		name  string
		tails lvm.Tails
		frame MajorFrame
		epoch uint32
		begun bool
	}{
		{"keep", lvm.Student, KeepFrame, 1, false},
		{"new", lvm.Student, NewFrame, 2, true},
		{"gaussian keep", lvm.Gaussian, KeepFrame, 1, false},
		{"gaussian new", lvm.Gaussian, NewFrame, 2, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := quick()
			set.LVM.Tails, set.Frame, set.Backstop = c.tails, c.frame, 2
			m, _ := fitted(t, blobs(150, 5, 1), set)
			refresh(t, m)
			r := refresh(t, m)
			if r.Kind != Major || r.Epoch != c.epoch || m.Snapshot().Epoch != c.epoch {
				t.Fatalf("a %v refresh of epoch %d, want %d", r.Kind, r.Epoch, c.epoch)
			}
			if (r.Drift.P99 == 0) != c.begun || r.Drift.Points != 150 {
				t.Errorf("drift %+v", r.Drift)
			}
			if !(r.Moves.P99 > 0 && r.Moves.P90 < 20) {
				t.Errorf("moves %+v", r.Moves)
			}
			if c.tails == lvm.Gaussian {
				return // a fit with a lower likelihood than the map before continues from that map
			}
			// A map fitted from scratch does not depend on the places before.
			pushed := m.State()
			moved := *m.Snapshot()
			moved.Mu = moved.Mu.Clone()
			vec.Scale(3, moved.Mu.Row(7))
			pushed.SinceMajor = 1
			other, err := Restore(t.Context(), &moved, pushed, m.set)
			if err != nil {
				t.Fatal(err)
			}
			m.policy.sinceMajor = 1
			refresh(t, m)
			refresh(t, other)
			Align(other.Snapshot().Mu, other.Snapshot().Mu.Clone(), m.Snapshot().Mu)
			if d := Measure(m.Snapshot().Mu, other.Snapshot().Mu, r.Diameter); (d.P99 < 1e-6) != c.begun {
				t.Errorf("from another map a major refresh comes to places that differ by %+v", d)
			}
		})
	}
}

// TestThreads: results do not depend on the number of threads, and a restored map continues with
// the same bits.
func TestThreads(t *testing.T) {
	for _, tails := range []lvm.Tails{lvm.Student, lvm.Gaussian} {
		set := quick()
		set.LVM.Tails = tails
		if tails == lvm.Gaussian {
			set.LVM.Saul.Level = 1
		}
		set.GentleEvery, set.Backstop = 2, 5
		var maps []*Map
		for _, threads := range []int{1, 3, 2} {
			set.LVM.Threads = threads
			m, slots := fitted(t, blobs(300, 5, 1), set)
			if threads == 2 { // this one is interrupted
				gone := slots[40:60]
				change(t, m, gone, none)
				refresh(t, m)
				r, err := Restore(context.Background(), m.Snapshot(), m.State(), set)
				if err != nil {
					t.Fatal(err)
				}
				m = r
			} else {
				change(t, m, slots[40:60], none)
				refresh(t, m)
			}
			for b := range uint64(6) {
				m.Novelty([]float32{0.99, float32(b) / 6})
				change(t, m, slots[3*b:3*b+3], blobs(5, 5, 20+b))
				refresh(t, m)
			}
			maps = append(maps, m)
		}
		for k, m := range maps[1:] {
			if (m.marks != nil) != (tails == lvm.Gaussian) || m.marks != nil &&
				!(slices.Equal(m.marks.Slots(), m.Slots()) && slices.Equal(m.marks.Landmarks(), maps[0].marks.Landmarks())) {
				t.Errorf("%v tails: map %d has other landmarks", tails, k+1)
			}
			a, b := maps[0].Snapshot(), m.Snapshot()
			if !slices.Equal(a.Mu.Data, b.Mu.Data) || !slices.Equal(a.Sigma2, b.Sigma2) || !slices.Equal(maps[0].Slots(), m.Slots()) {
				t.Errorf("%v tails: map %d is another", tails, k+1)
			}
			if x, y := maps[0].State(), m.State(); x.Refreshes != y.Refreshes || !slices.Equal(x.Blocks, y.Blocks) || !slices.Equal(x.Origin, y.Origin) {
				t.Errorf("%v tails: states %+v and %+v", tails, x, y)
			}
		}
	}
}

// TestDuplicates: equal rows are one point, which is removed with the last of them.
func TestDuplicates(t *testing.T) {
	x := blobs(60, 4, 1)
	twice := vec.Matrix[float32]{Rows: 120, Cols: 4, Data: slices.Concat(x.Data, x.Data)}
	m, slots := fitted(t, twice, quick())
	if m.Len() != 60 || slots[7] != slots[67] || m.Count(slots[7]) != 2 {
		t.Fatalf("%d points, slots %v", m.Len(), slots)
	}
	one := x.Slice(7, 8)
	if s := change(t, m, nil, one); s[0] != slots[7] || m.Count(s[0]) != 3 || m.Len() != 60 {
		t.Errorf("slot %d, not %d", s[0], slots[7])
	}
	change(t, m, []int32{slots[7], slots[7]}, none)
	// Deleted and inserted in one change: the point stays.
	if s := change(t, m, []int32{slots[7]}, one); s[0] != slots[7] || m.Count(s[0]) != 1 {
		t.Errorf("slot %d, not %d", s[0], slots[7])
	}
	if r := refresh(t, m); r.Points != 60 || r.Born != 0 || r.Gone != 0 || r.Moves.Points != 60 {
		t.Errorf("%+v", r)
	}
	if c := m.Snapshot().Count; c[7] != 1 || c[8] != 2 {
		t.Errorf("counts %v", c)
	}
	change(t, m, []int32{slots[7]}, none)
	if m.Count(slots[7]) != 0 || m.Len() != 59 {
		t.Errorf("the point is still there")
	}
	// Two new rows that are equal take the free slot.
	fresh := vec.Of(3, 4, []float32{1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4})
	if s := change(t, m, nil, fresh); s[0] != slots[7] || s[2] != s[0] || s[1] != 60 || m.Count(s[0]) != 2 {
		t.Errorf("slots %v", s)
	}
	refresh(t, m)
}

// TestRefusals: invalid changes are refused and change nothing.
func TestRefusals(t *testing.T) {
	ctx := context.Background()
	m, slots := fitted(t, blobs(50, 3, 1), quick())
	nan := blobs(1, 3, 4)
	nan.Data[1] = float32(math.NaN())
	for name, f := range map[string]func() error{
		"unknown slot":   func() error { _, err := m.Change(ctx, []int32{50}, none, nowhere); return err },
		"twice":          func() error { _, err := m.Change(ctx, []int32{3, 3}, none, nowhere); return err },
		"not a number":   func() error { _, err := m.Change(ctx, nil, nan, nowhere); return err },
		"dimension":      func() error { _, err := m.Change(ctx, nil, blobs(1, 4, 1), nowhere); return err },
		"places":         func() error { _, err := m.Change(ctx, nil, blobs(2, 3, 5), vec.New[float64](1, 2)); return err },
		"ended, changes": func() error { _, err := m.Change(ended(), slots[:1], blobs(2, 3, 5), nowhere); return err },
		"ended, refresh": func() error { _, err := m.Refresh(ended()); return err },
		"few":            func() error { _, _, err := Fit(ctx, blobs(1, 3, 1), quick()); return err },
		"no such tails": func() error {
			_, _, err := Fit(ctx, blobs(50, 3, 1), Settings{LVM: lvm.Settings{Options: lvm.Options{Tails: 7}}})
			return err
		},
		"no reach": func() error {
			_, _, err := Fit(ctx, blobs(50, 3, 1), Settings{LVM: lvm.Settings{Options: lvm.Options{Tails: lvm.Gaussian}}, Gentle: Schedule{Reach: 50}})
			return err
		},
		"no ramp": func() error {
			_, _, err := Fit(ctx, blobs(50, 3, 1), Settings{LVM: lvm.Settings{Options: lvm.Options{Tails: lvm.Gaussian}}, Ordinary: Schedule{Ramp: 3}})
			return err
		},
		"growth": func() error { _, _, err := Fit(ctx, blobs(50, 3, 1), Settings{Growth: 0.5}); return err },
		"other tails": func() error {
			_, err := Restore(ctx, m.Snapshot(), m.State(), Settings{LVM: lvm.Settings{Options: lvm.Options{Tails: lvm.Gaussian}}})
			return err
		},
		"level of landmarks": func() error {
			_, err := Restore(ctx, m.Snapshot(), State{Landmarks: &LandmarkState{Level: -1}}, quick())
			return err
		},
		"other state": func() error { _, err := Restore(ctx, m.Snapshot(), State{Slots: []int32{3}}, quick()); return err },
	} {
		if f() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := m.Change(ctx, nil, nan, nowhere); !errors.Is(err, models.ErrBadInput) {
		t.Errorf("%v is not the input's fault", err)
	}
	if r := refresh(t, m); m.Len() != 50 || r.Born != 0 || r.Gone != 0 || r.Version != 2 {
		t.Errorf("%+v", r)
	}
}

func ended() context.Context {
	ctx, end := context.WithCancel(context.Background())
	end()
	return ctx
}
