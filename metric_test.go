package unfold_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"unfold"
)

// A Minkowski distance of power 1 makes Manhattan's map, and one of another power another map.
func TestMinkowski(t *testing.T) {
	x := cloud(60, 6, 7)
	places := func(m unfold.Metric) *mat.Dense {
		return fitted(t, x, unfold.Options{Metric: m, Steps: 10}).Result().Embedding
	}
	manhattan := places(unfold.Manhattan)
	if !mat.Equal(places(unfold.Minkowski(1)), manhattan) {
		t.Error("a power of 1 makes another map than manhattan")
	}
	if mat.Equal(places(unfold.Minkowski(3)), manhattan) {
		t.Error("a power of 3 makes the map of manhattan")
	}
	if _, err := unfold.Fit(t.Context(), x, unfold.Options{Metric: unfold.Minkowski(0.5)}); err == nil {
		t.Error("a power below 1 is taken")
	}
}
