package saul

import (
	"math"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
)

// TestBridgesAreReported: of three groups that neighbours leave apart, the report has the two
// shortest edges that join them, by the numbers of rows. The largest group alone needs none.
func TestBridgesAreReported(t *testing.T) {
	// Three lines of eight points each; every point comes twice, so that rows are not points.
	var x []float32
	for _, start := range []float32{0, 100, 250} {
		for i := range 8 {
			at := start + float32(i)
			x = append(x, at, 0, at, 0)
		}
	}
	rows := vec.Of(48, 2, x)
	set := Settings{Common: models.Common{Neighbors: 3, Steps: -1}}
	r, err := Fit(t.Context(), rows, set, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []models.Bridge{{Row: 14, Other: 16, Distance: 93}, {Row: 30, Other: 32, Distance: 143}}
	if r.Report.Components != 3 || len(r.Report.Bridges) != len(want) {
		t.Fatalf("%d parts are joined by %v, want 3 by %v", r.Report.Components, r.Report.Bridges, want)
	}
	for i, b := range r.Report.Bridges {
		if b.Row != want[i].Row || b.Other != want[i].Other || math.Abs(b.Distance-want[i].Distance) > 1e-9 {
			t.Errorf("bridge %d is %v, want %v", i, b, want[i])
		}
	}
	set.Components = Largest
	if r, err = Fit(t.Context(), rows, set, nil); err != nil || r.Report.Bridges != nil {
		t.Errorf("the largest part alone has bridges %v (%v)", r.Report.Bridges, err)
	}
}
