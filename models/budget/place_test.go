package budget

import (
	"math"
	"testing"

	"unfold/internal/vec"
	"unfold/models/fit"
)

// The time of placing further rows is measured on a map of rows like those that are learnt, and counts
// once for each.
func TestPlacing(t *testing.T) {
	job := Job{Rows: 20_000, Dim: 8, Spec: fit.Spec{PCA: fit.PCANone}, Others: 100_000}
	p, err := New(job)
	if err != nil {
		t.Fatal(err)
	}
	v, err := Measure(t.Context(), p, vec.Matrix[float32]{})
	if err != nil {
		t.Fatal(err)
	}
	if us := v.Place * 1e6; us < 0.1 || us > 2000 {
		t.Errorf("a row takes %g us", us)
	}
	more := p
	more.Others *= 3
	none := p
	none.Others = 0
	one, three := p.Seconds(v)-none.Seconds(v), more.Seconds(v)-none.Seconds(v)
	if least := float64(job.Others) * v.Place; one < least || math.Abs(three-3*one) > 1e-6*three {
		t.Errorf("%d rows take %g s, of %g each, and three times as many %g s", job.Others, one, v.Place, three)
	}
	if v, err := Measure(t.Context(), none, vec.Matrix[float32]{}); err != nil || v.Place != 0 {
		t.Errorf("without rows to place: %g s each, %v", v.Place, err)
	}
}

// A trial learns the planned number of rows; those that it places are others.
func TestSplit(t *testing.T) {
	x := vec.New[float32](25, 1)
	for i := range x.Data {
		x.Data[i] = float32(i)
	}
	learnt, placed := split(x)
	if learnt.Rows != 20 || placed.Rows != 5 {
		t.Fatalf("%d rows are learnt, %d placed", learnt.Rows, placed.Rows)
	}
	seen := map[float32]bool{}
	for _, v := range append(learnt.Data, placed.Data...) {
		seen[v] = true
	}
	if len(seen) != x.Rows {
		t.Errorf("%d rows of %d", len(seen), x.Rows)
	}
}
