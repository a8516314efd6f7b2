package distance

import (
	"math"
	"testing"
)

// A distance that is a sum over columns is one entry with three fields. It has no bound and no
// kernel, so searches compare all rows.
func TestNewDistanceIsOneEntry(t *testing.T) {
	before := table
	defer func() { table = before }()
	canberra := Distance(len(table))
	table = append(table[:canberra:canberra], entry{name: "canberra", about: "the sum of relative differences is small", term: func(a, b float64) float64 {
		if a == b {
			return 0
		}
		return math.Abs(a-b) / (math.Abs(a) + math.Abs(b))
	}})
	if d, err := Parse("canberra"); d != canberra || err != nil || All()[canberra] != canberra {
		t.Errorf("canberra is read as %v, %v", d, err)
	}
	a, b, shares := []float32{1, 0, -2}, []float32{3, 0, 2}, make([]float64, 3)
	if got := canberra.Length(Between(canberra, a, b)); got != 1.5 {
		t.Errorf("distance %v, want 1/2 + 0 + 1", got)
	}
	if got := Within(canberra, []float64{1, 0, -2}, []float64{3, 0, 2}, 0.4); got <= 0.4 {
		t.Errorf("%v is within 0.4", got)
	}
	if Shares(canberra, shares, a, b); shares[0] != 0.5 || shares[1] != 0 || shares[2] != 1 {
		t.Errorf("contributions %v", shares)
	}
	if canberra.Bounded() || canberra.Bits() || canberra.Kernel() != nil || Box(canberra, a, []float64{9, 9, 9}, []float64{9, 9, 9}) != 0 {
		t.Error("a bound, a kernel or bits come from nowhere")
	}
}
