package live

import (
	"context"

	"unfold/coarse/landmark"
	"unfold/internal/vec"
	"unfold/models/lvm"
	"unfold/models/saul"
	"unfold/sparse/graph"
)

// landmarks are the groups of points that dissimilar pairs with Gaussian tails refer to. They are
// updated as points are added and removed. They are a function of the rows and their slots, of the
// settings and of their bounds (package landmark).
type landmarks struct {
	*landmark.Dynamic
	level int
}

// LandmarkState is the part of State for landmarks: the level of coarse-graining, and the bounds of
// package landmark.
type LandmarkState struct {
	Level  int              `json:"level"`
	Bounds *landmark.Bounds `json:"bounds,omitempty"`
}

// change removes and adds points.
func (l *landmarks) change(ctx context.Context, gone, slots []int32, x vec.Matrix[float32]) error {
	if l == nil {
		return nil
	}
	if err := l.Delete(ctx, gone); err != nil {
		return err
	}
	return l.Insert(ctx, slots, x)
}

// state returns the present state of the landmarks, nil if there are none.
func (l *landmarks) state() *LandmarkState {
	if l == nil {
		return nil
	}
	return &LandmarkState{l.level, l.Bounds()}
}

// pairs returns the function that makes the dissimilar pairs of all points, which are in slots,
// from the dynamic landmarks. If the level of coarse-graining changes, it selects new landmarks.
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

// remark restores the landmarks of a state, if the map has Gaussian tails.
func (m *Map) remark(ctx context.Context, from *LandmarkState) (err error) {
	if from == nil || m.set.LVM.Tails != lvm.Gaussian {
		return nil
	}
	s := landmark.Settings{Level: from.Level, Seed: m.set.LVM.Seed, Threads: m.set.LVM.Threads}
	m.marks, err = newLandmarks(ctx, m.slots, m.rows(m.slots), s, from.Bounds)
	m.marked = from
	return err
}

// newLandmarks selects landmarks for the rows in slots. If from is not nil, it continues from these
// bounds.
func newLandmarks(ctx context.Context, slots []int32, x vec.Matrix[float32], s landmark.Settings, from *landmark.Bounds) (*landmarks, error) {
	d, err := landmark.NewDynamic(x.Cols, s)
	if err != nil {
		return nil, err
	}
	d.Resume(from)
	return &landmarks{d, s.Level}, d.Insert(ctx, slots, x)
}
