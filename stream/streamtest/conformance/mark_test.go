package conformance

import (
	"testing"

	"unfold/internal/vec"
	"unfold/models/fit"
)

// TestAgain: another fit of the same events is judged event by event, whatever its order of rows. It
// is hardly different.
func TestAgain(t *testing.T) {
	set := Blobs(300, 8)
	fresh, result, err := fit.Fit(t.Context(), set.Vectors(), fit.Spec{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := Mark{Fitted: vec.Convert[float32](vec.Take(fresh.Mu, result.Row))}
	if m.Fit, err = Judge(t.Context(), set, m.Fitted); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(2) {
		if err := m.again(t.Context(), set, seed); err != nil {
			t.Fatal(err)
		}
	}
	if s := m.Spread(); len(m.Again) != 2 || s.Nearest > 0.01 || s.Trust > 0.002 || s.RNX > 0.005 || m.Moves.Points != 300 || m.Moves.P99 > 5 {
		t.Errorf("%+v, which differ by %+v, moved by %+v", m.Again, s, m.Moves)
	}
}

// TestSpread: the spread of figures is the largest less the smallest, of all fits.
func TestSpread(t *testing.T) {
	m := Mark{Fit: Figures{0.5, 0.25, 0.75}, Again: []Figures{{0.25, 0.5, 0.75}, {0.375, 0.375, 0.5}}}
	if got := m.Spread(); got != (Figures{0.25, 0.25, 0.25}) {
		t.Errorf("%+v", got)
	}
	if got := (Mark{Fit: m.Fit}).Spread(); got != (Figures{}) {
		t.Errorf("one fit differs by %+v", got)
	}
}
