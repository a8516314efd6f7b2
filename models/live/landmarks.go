package live

import (
	"context"
	"math"

	"unfold/coarse/landmark"
	"unfold/internal/vec"
	"unfold/models/saul"
	"unfold/sparse/graph"
)

// landmarks are the groups of the points that a model with Gaussian tails holds
// them against, which follow the points as they come and go. They are a function
// of which row is in which slot and of the settings, not of the way there.
type landmarks struct {
	*landmark.Dynamic
	level int
	floor float64
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

// pairs makes the constants of the points in slots, which are all, by landmarks
// that follow. They are made anew if the level of coarse-graining changes or the least
// squared scale by more than a factor of 2.
func (m *Map) pairs(slots []int32) saul.PairsOf {
	return func(ctx context.Context, g *graph.Graph, s landmark.Settings) (*landmark.Pairs, error) {
		s.Floor = powerOf2(s.Floor)
		if m.marks == nil || m.marks.level != s.Level || m.marks.floor != s.Floor {
			d, err := landmark.NewDynamic(m.dim, s)
			if err != nil {
				return nil, err
			}
			if err := d.Insert(ctx, slots, m.rows(slots)); err != nil {
				return nil, err
			}
			m.marks = &landmarks{d, s.Level, s.Floor}
		}
		return m.marks.Pairs(ctx, g)
	}
}

// powerOf2 is the largest power of 2 that is not above v, and 0 for 0.
func powerOf2(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) {
		return v
	}
	_, e := math.Frexp(v)
	return math.Ldexp(1, e-1)
}
