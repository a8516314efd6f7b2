package unfold_test

import (
	"strings"
	"testing"

	"unfold"
)

// A weight far above the default for the number of points gives a warning, other weights none.
func TestWarningOfAHeavyWeight(t *testing.T) {
	x := cloud(200, 3, 7)
	for weight, want := range map[float64]string{0: "", 5: "", 13: "weight 13 is 13 times the default for 200 points, 1: "} {
		m := fitted(t, x, unfold.Options{Steps: 5, Student: unfold.StudentOptions{Weight: weight}})
		got := m.Result().Warnings
		if len(got) > 1 || (len(got) == 1) != (want != "") || !strings.HasPrefix(strings.Join(got, ""), want) {
			t.Errorf("weight %v: %q", weight, got)
		}
	}
}
