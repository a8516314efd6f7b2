package lvm_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// mustLogLik places rows and returns their log-likelihoods.
func mustLogLik(t *testing.T, s *snapshot.Snapshot, o placing.Options, x vec.Matrix[float32]) (models.Placed, []float32) {
	t.Helper()
	p, err := lvm.NewPlacer(s, o)
	if err != nil {
		t.Fatal(err)
	}
	at, err := p.Place(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.(models.Likely).LogLik(context.Background(), x, at)
	if err != nil {
		t.Fatal(err)
	}
	return at, out
}

// The log-likelihood is that of the slow computation, for new vectors and for reference points,
// which are not their own neighbours.
func TestLogLik(t *testing.T) {
	for _, dims := range []int{1, 2, 3, 10} {
		for _, heavy := range []bool{true, false} {
			s, reference := modeltest.Snapshot(t, 5, 150, 5, 0, dims)
			o := placing.Options{Neighbors: 6}
			if heavy {
				s, o.RankDecay = modeltest.Heavy(s), 0.7
			}
			x := modeltest.Events(9, 60, 5)
			for i := range 10 {
				copy(x.Row(i), reference.Row(7*i))
			}
			at, got := mustLogLik(t, s, o, x)
			for i := range x.Rows {
				want := modeltest.LogLik(s, x.Row(i), at.Mu.Row(i), 6, o.RankDecay)
				if d := math.Abs(float64(got[i]) - want); d > 1e-4*math.Abs(want)+1e-4 {
					t.Errorf("d=%d, heavy %v, event %d: %g, want %g", dims, heavy, i, got[i], want)
				}
			}
		}
	}
}

// The farther an event from everything the less likely it is, up to the end of the number range,
// where the value is still finite.
func TestLogLikOfFarEvents(t *testing.T) {
	for _, heavy := range []bool{true, false} {
		s, _ := modeltest.Snapshot(t, 5, 150, 5, 0, 2)
		if heavy {
			s = modeltest.Heavy(s)
		}
		var values []float32
		for scale := 30.0; scale < 1e37; scale *= 10 {
			for c := range 5 {
				values = append(values, float32(scale*[]float64{1, -2, 0.5, 1, 3}[c]))
			}
		}
		_, usual := mustLogLik(t, s, placing.Options{}, s.Reference)
		_, far := mustLogLik(t, s, placing.Options{}, vec.Of(len(values)/5, 5, values))
		last := slices.Min(usual)
		for i, v := range far {
			if !(v < last) {
				t.Errorf("heavy %v: far event %d has %g, nearer ones %g", heavy, i, v, last)
			}
			last = v
		}
	}
}
