package student

import (
	"context"
	"testing"

	"unfold/models/modeltest"
	"unfold/models/placing"
)

// Placing an event allocates nothing beyond the scratch memory of its goroutine.
func TestPlacingDoesNotAllocate(t *testing.T) {
	s, _ := modeltest.Snapshot(t, 3, 200, 6, 0, 2)
	s = modeltest.Heavy(s)
	x := modeltest.Events(8, 1, 6)
	for _, rule := range []placing.Rule{placing.Median, placing.Robust, placing.LLE} {
		p, err := NewPlacer(s, placing.Options{Rule: rule})
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
