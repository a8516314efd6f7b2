package student

import (
	"slices"
	"testing"

	"unfold/models"
)

// TestWarningOfHeavyWeights: the limit is relative to the default for the number of points.
func TestWarningOfHeavyWeights(t *testing.T) {
	const heavy = "weight 10.4 is 13 times the default for 1000 points, 0.801: above 12 times the map loses neighbours, "
	for _, c := range []struct {
		weight float64
		n      int
		warns  bool
	}{
		{0, 1000, false}, {9.6, 1000, false}, {10.41, 1000, true}, // the default is 0.8
		{1, 50_000, false}, {1.1, 50_000, true}, {1.1, 1000, false}, // the default is 0.086
		{10, 2, false}, // the default is 1
	} {
		s := Settings{Options: Options{Weight: c.weight}}
		got := s.Outline(c.n).Warnings
		if len(got) > 0 != c.warns || len(got) > 1 {
			t.Errorf("weight %v for %d points: %q", c.weight, c.n, got)
		}
		if c.weight == 10.41 && !slices.ContainsFunc(got, func(text string) bool { return len(text) > len(heavy) && text[:len(heavy)] == heavy }) {
			t.Errorf("%q does not begin with %q", got, heavy)
		}
	}
	for _, s := range []Settings{{Common: models.Common{Dims: 3}}, {Common: models.Common{Dims: 3}, Options: Options{Tail: 1}}, {Options: Options{Tail: 2}}} {
		if s.Weight = 100; len(s.Outline(1000).Warnings) > 0 {
			t.Errorf("%d dimensions, tail %v: %q; such maps bear any weight", s.Dims, s.Tail, s.Outline(1000).Warnings)
		}
	}
	few := Settings{Common: models.Common{Neighbors: 4}, Options: Options{Weight: 9.6}}
	if got := few.Outline(1000).Warnings; len(got) != 1 {
		t.Errorf("with half the neighbours the default is half as heavy: %q", got)
	}
}
