package saul

import (
	"context"
	"testing"

	"unfold/models/modeltest"
)

// Placing an event takes no memory beyond what its goroutine has.
func TestPlacingDoesNotAllocate(t *testing.T) {
	gaussian, _ := modeltest.Snapshot(t, 3, 200, 6, 0, 2)
	heavy := modeltest.Heavy(gaussian)
	x := modeltest.Events(8, 1, 6)
	for _, rule := range []PlaceRule{Median, EM, Robust, LLE} {
		s := gaussian
		if rule == Robust || rule == LLE {
			s = heavy
		}
		p, err := NewPlacer(s, PlaceSettings{Rule: rule})
		if err != nil {
			t.Fatal(err)
		}
		near, err := p.Search(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		var w placeWork
		w.fit(p.Dims(), p.set.Neighbors)
		index, dist2 := near.Row(0)
		if n := testing.AllocsPerRun(100, func() { p.one(&w, x.Row(0), index, dist2) }); n != 0 {
			t.Errorf("%v: %v allocations an event", rule, n)
		}
	}
}
