package distance

import (
	"slices"
	"testing"
)

// A distance that is a sum over columns is one entry with three fields. It has no bound and no
// kernel, so searches compare all rows.
func TestNewDistanceIsOneEntry(t *testing.T) {
	before := table
	defer func() { table = before }()
	added := Distance(len(table))
	table = append(table[:added:added], entry{name: "relative", about: "the sum of relative differences is small", term: relative})
	if d, err := Parse("relative"); d != added || err != nil || !slices.Contains(All(), added) {
		t.Errorf("relative is read as %v, %v", d, err)
	}
	a, b, shares := []float32{1, 0, -2}, []float32{3, 0, 2}, make([]float64, 3)
	if got := added.Length(Between(added, a, b)); got != 1.5 {
		t.Errorf("distance %v, want 1/2 + 0 + 1", got)
	}
	if got := Within(added, []float64{1, 0, -2}, []float64{3, 0, 2}, 0.4); got <= 0.4 {
		t.Errorf("%v is within 0.4", got)
	}
	if Shares(added, shares, a, b); shares[0] != 0.5 || shares[1] != 0 || shares[2] != 1 {
		t.Errorf("contributions %v", shares)
	}
	if added.Bounded() || added.Bits() || added.Kernel() != nil || Box(added, a, []float64{9, 9, 9}, []float64{9, 9, 9}) != 0 {
		t.Error("a bound, a kernel or bits come from nowhere")
	}
}
