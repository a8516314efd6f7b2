package score

import (
	"context"
	"math"
	"slices"
	"testing"

	"unfold/internal/radix"
	"unfold/internal/vec"
)

func TestShepardIsSpearman(t *testing.T) {
	// Ranks of (1,2,2,9) are (1,2.5,2.5,4).
	got := []float64{2, 9, 1, 2}
	if order := ranks(got, new(radix.Sorter)); !slices.Equal(got, []float64{2.5, 4, 1, 2.5}) || !slices.Equal(order, []int32{2, 0, 3, 1}) {
		t.Errorf("ranks %v in order %v", got, order)
	}
	// Rank correlation sees order only.
	x := cloud(5, 60, 1)
	y := x.Clone()
	for i, v := range y.Data {
		y.Data[i] = v * 3
	}
	if got, err := Distances(context.Background(), x, y, Settings{}); err != nil || math.Abs(got.Spearman-1) > 1e-12 {
		t.Errorf("a scaled map has Shepard correlation %+v (%v)", got, err)
	}
	if got, err := Distances(context.Background(), x, vec.New[float32](60, 1), Settings{}); err != nil || got.Spearman != 0 {
		t.Errorf("a map of one point has Shepard correlation %+v (%v)", got, err)
	}
}

// The influences are the derivative of Spearman's correlation: changing the weight of a pair
// changes the correlation accordingly.
func TestInfluenceIsTheDerivative(t *testing.T) {
	const n = 40
	r := cloud(3, n, 2)
	a, b := make([]float64, 0, n), make([]float64, 0, n)
	for i := range n {
		// Few values, so that there are ties.
		a = append(a, math.Round(float64(3*r.Row(i)[0])))
		b = append(b, math.Round(float64(r.Row(i)[0]+2*r.Row(i)[1])))
	}
	// The distribution has 2000 copies of every pair; one more copy is a small step.
	const copies = 2000
	many := func(extra int) float64 {
		var p, q []float64
		for i := range n {
			for c := 0; c < copies || i == extra && c == copies; c++ {
				p, q = append(p, a[i]), append(q, b[i])
			}
		}
		return spearman(p, q).rho
	}
	before := many(-1)
	c := spearman(slices.Clone(a), slices.Clone(b))
	got := c.influences()
	shift := mean(got)
	for _, i := range []int{0, 7, 20, 39} {
		want := (many(i) - before) * n * copies
		if math.Abs(got[i]-shift-want) > 1e-3 {
			t.Errorf("pair %d: influence %g, by a step %g", i, got[i]-shift, want)
		}
	}
	if math.Abs(shift) > 1e-12 {
		t.Errorf("influences have the mean %g", shift)
	}
}
