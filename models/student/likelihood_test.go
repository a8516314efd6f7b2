package student_test

import (
	"math"
	"testing"

	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/models/student"
)

// TestLogLik: the log-likelihood is that of the slow computation, for new vectors and for reference
// points, which are not their own neighbours.
func TestLogLik(t *testing.T) {
	for _, dims := range []int{1, 2, 3, 10} {
		s, reference := modeltest.Snapshot(t, 5, 150, 5, 0, dims)
		s = modeltest.Heavy(s)
		set := placing.Options{Neighbors: 6, RankDecay: 0.7}
		x := modeltest.Events(9, 40, 5)
		for i := range 10 {
			copy(x.Row(i), reference.Row(7*i))
		}
		at := mustPlace(t, s, set, x)
		p, err := student.NewPlacer(s, set)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.LogLik(t.Context(), x, at)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Rows {
			want := modeltest.LogLik(s, x.Row(i), at.Mu.Row(i), 6, set.RankDecay)
			if d := math.Abs(float64(got[i]) - want); d > 1e-4*math.Abs(want)+1e-4 {
				t.Errorf("d=%d, event %d: %g, want %g", dims, i, got[i], want)
			}
		}
	}
}
