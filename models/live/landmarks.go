package live

import (
	"context"

	"unfold/coarse/landmark"
	"unfold/internal/vec"
	"unfold/models/lvm"
	"unfold/models/saul"
	"unfold/sparse/graph"
)

// landmarks are the groups of the points that a model with Gaussian tails holds
// them against, which follow the points as they come and go. They are a function of
// which row is in which slot, of the settings and of their bounds (package landmark).
type landmarks struct {
	*landmark.Dynamic
	level int
}

// LandmarkState is what landmarks depend on beside the points, for State: the level of
// coarse-graining, and the bounds of package landmark.
type LandmarkState struct {
	Level  int              `json:"level"`
	Bounds *landmark.Bounds `json:"bounds,omitempty"`
}

// change lets points go and come.
func (l *landmarks) change(ctx context.Context, gone, slots []int32, x vec.Matrix[float32]) error {
	if l == nil {
		return nil
	}
	if err := l.Delete(ctx, gone); err != nil {
		return err
	}
	return l.Insert(ctx, slots, x)
}

// state is that of the landmarks now, nil if there are none.
func (l *landmarks) state() *LandmarkState {
	if l == nil {
		return nil
	}
	return &LandmarkState{l.level, l.Bounds()}
}

// pairs makes the constants of the points in slots, which are all, by landmarks
// that follow. They are chosen again when the level of coarse-graining changes.
func (m *Map) pairs(slots []int32) saul.PairsOf {
	return func(ctx context.Context, g *graph.Graph, s landmark.Settings) (*landmark.Pairs, error) {
		if m.marks == nil || m.marks.level != s.Level {
			marks, err := newLandmarks(ctx, slots, m.rows(slots), s, nil)
			if err != nil {
				return nil, err
			}
			m.marks = marks
		}
		m.marks.SetFloor(s.Floor)
		return m.marks.Pairs(ctx, g)
	}
}

// remark takes over the landmarks of a state, if they are of this kind of map.
func (m *Map) remark(ctx context.Context, from *LandmarkState) (err error) {
	if from == nil || m.set.LVM.Tails != lvm.Gaussian {
		return nil
	}
	s := landmark.Settings{Level: from.Level, Seed: m.set.LVM.Seed, Threads: m.set.LVM.Threads}
	m.marks, err = newLandmarks(ctx, m.slots, m.rows(m.slots), s, from.Bounds)
	m.marked = from
	return err
}

// newLandmarks are those of rows in slots, from bounds on if there are any.
func newLandmarks(ctx context.Context, slots []int32, x vec.Matrix[float32], s landmark.Settings, from *landmark.Bounds) (*landmarks, error) {
	d, err := landmark.NewDynamic(x.Cols, s)
	if err != nil {
		return nil, err
	}
	d.Resume(from)
	return &landmarks{d, s.Level}, d.Insert(ctx, slots, x)
}
