package main

import (
	"context"
	"fmt"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
	"unfold/models/fit"
	"unfold/models/live"
	"unfold/models/lvm"
	"unfold/models/placing"
)

// step is the stored form of one refresh.
type step struct {
	Kind         string
	Points       int
	Moves, Drift live.Moves
	LoglikPoint  float64
	Share, Bound float64 // of strange events
	Raised       bool
	Steps        int
	CPU, Change  float64 // CPU seconds: of change and refresh together, and of the change
}

// follower is a live map with its reference set: rows of the data and their slots.
type follower struct {
	d     *data
	m     *live.Map
	rows  []int32
	slots []int32
	steps []step
	since float64 // CPU seconds of the changes since the last refresh
	say   func(format string, args ...any)
	seen  func(f *follower) error // called with every map; nil: nobody is
}

// follow learns the first map of rows.
func follow(ctx context.Context, d *data, rows []int32, set live.Settings, say func(string, ...any)) (*follower, error) {
	m, fitted, err := fit.Follow(ctx, vec.Take(d.x, rows), fit.Spec{PCA: fit.PCANone, NoveltyK: set.NoveltyK, Common: set.LVM.Common, LVM: set.LVM.Options}, set, nil)
	if err != nil {
		return nil, err
	}
	return &follower{d: d, m: m.Map, rows: append([]int32(nil), rows...), slots: fitted.Row, say: say}, nil
}

// The treatment of an event that replaces no member.
const (
	added  = -1 // it becomes a new member
	passes = -2 // it is not stored
)

// arrive processes events: they are placed and judged, and each replaces a member (an index into
// rows), or is treated as out gives. If two replace the same member, the later stays.
func (f *follower) arrive(ctx context.Context, events []int32, out []int) error {
	placer, err := lvm.NewPlacer(f.m.Snapshot(), placing.Options{})
	if err != nil {
		return err
	}
	x := vec.Take(f.d.x, events)
	placed, err := placer.Place(ctx, x)
	if err != nil {
		return err
	}
	f.m.Novelty(placed.NoveltyLocal)
	last := map[int]int{}
	for e, o := range out {
		switch {
		case o == added:
			f.rows, f.slots = append(f.rows, -1), append(f.slots, -1)
			last[len(f.rows)-1] = e
		case o >= 0:
			last[o] = e
		}
	}
	var gone, kept []int32
	var members []int
	for o := range f.rows {
		e, changes := last[o]
		if !changes {
			continue
		}
		if f.slots[o] >= 0 {
			gone = append(gone, f.slots[o])
		}
		kept, members = append(kept, int32(e)), append(members, o)
	}
	begin := harness.CPUSeconds()
	slots, err := f.m.Change(ctx, gone, vec.Take(x, kept), live.StartAt(f.m.Snapshot(), vec.Take(placed.Mu, kept)))
	if err != nil {
		return err
	}
	f.since += harness.CPUSeconds() - begin
	for i, o := range members {
		f.rows[o], f.slots[o] = events[kept[i]], slots[i]
	}
	return nil
}

// refresh learns the map again.
func (f *follower) refresh(ctx context.Context) error {
	begin := harness.CPUSeconds()
	r, err := f.m.Refresh(ctx)
	if err != nil {
		return err
	}
	took := harness.CPUSeconds() - begin
	s := step{
		Kind: r.Kind.String(), Points: r.Points, Moves: r.Moves, Drift: r.Drift, LoglikPoint: r.LoglikPoint,
		Share: r.Alarm.Share, Bound: r.Alarm.Bound, Raised: r.Alarm.Raised, Steps: r.Steps,
		CPU: f.since + took, Change: f.since,
	}
	f.since = 0
	f.steps = append(f.steps, s)
	if n := len(f.steps); r.Kind != live.Ordinary || r.Alarm.Raised || n%25 == 0 {
		f.say("%d %s: %d points, moves %.2f %.2f %.2f %%, drift %.1f %.1f %.1f %%, loglik %.3f, strange %.3f (%.3f) %v, %.2f CPU s (%.2f)",
			n, s.Kind, s.Points, s.Moves.Median, s.Moves.P90, s.Moves.P99, s.Drift.Median, s.Drift.P90, s.Drift.P99,
			s.LoglikPoint, s.Share, s.Bound, s.Raised, s.CPU, s.Change)
	}
	if f.seen != nil {
		return f.seen(f)
	}
	return nil
}

// places returns the places of the members on the present map.
func (f *follower) places() (vec.Matrix[float64], error) {
	mu, _, err := f.state()
	return mu, err
}

// state returns the places and variances of the members on the present map.
func (f *follower) state() (mu vec.Matrix[float64], sigma2 []float64, err error) {
	s := f.m.Snapshot()
	at := make(map[int32]int, len(f.m.Slots()))
	for i, slot := range f.m.Slots() {
		at[slot] = i
	}
	mu = vec.New[float64](len(f.rows), s.Mu.Cols)
	for o, slot := range f.slots {
		i, there := at[slot]
		if !there {
			return mu, nil, fmt.Errorf("member %d in slot %d is not on the map", o, slot)
		}
		copy(mu.Row(o), s.Mu.Row(i))
		sigma2 = append(sigma2, s.Sigma2[i])
	}
	g := live.Unit(s)
	vec.Scale(1/g, mu.Data)
	vec.Scale(1/(g*g), sigma2)
	return mu, sigma2, nil
}
