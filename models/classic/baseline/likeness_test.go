package baseline

import (
	"math"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models/modeltest"
)

// Similarities agree with their formulas, and the result for a vector has the same bits whatever
// the other vectors are.
func TestLikeness(t *testing.T) {
	y, z := vec.Convert[float64](modeltest.Events(3, 61, 7)), vec.Convert[float64](modeltest.Events(4, 29, 7))
	for _, precision := range []float64{0, 0.3} {
		l := newLikeness(y, precision)
		var all, one likenessGroup
		l.take(&all, z)
		for i := range z.Rows {
			got := all.of.Row(i)[:y.Rows]
			for j, v := range got {
				want, size := vec.Dot(z.Row(i), y.Row(j)), vec.SquaredNorm(z.Row(i))+vec.SquaredNorm(y.Row(j))
				if precision > 0 {
					want, size = math.Exp(-precision*vec.SquaredDistance(z.Row(i), y.Row(j))), 1+size
				}
				if !(math.Abs(v-want) <= 1e-14*size) {
					t.Fatalf("precision %g, vectors %d and %d: %g, want %g", precision, i, j, v, want)
				}
			}
			if l.take(&one, z.Slice(i, i+1)); !slices.Equal(one.of.Row(0)[:y.Rows], got) {
				t.Fatalf("precision %g: vector %d alone has other likenesses", precision, i)
			}
		}
	}
}
