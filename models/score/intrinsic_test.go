package score

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
)

// The estimate of rows that are uniform on a cube of known dimension, turned into a space of
// more, lies within 15 % of it.
func TestIntrinsicDimension(t *testing.T) {
	for _, dim := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(dim), func(t *testing.T) {
			random := rand.New(rand.NewPCG(3, uint64(dim)))
			const rows, cols = 1500, 12
			turn := vec.New[float32](dim, cols)
			for i := range turn.Data {
				turn.Data[i] = float32(random.NormFloat64())
			}
			x := vec.New[float32](rows, cols)
			for i := range rows {
				for c := range dim {
					v := float32(random.Float64())
					for k := range cols {
						x.Row(i)[k] += v * turn.Row(c)[k]
					}
				}
			}
			got := IntrinsicDimension(x)
			if math.Abs(got-float64(dim)) > 0.15*float64(dim) {
				t.Errorf("%v, expected about %d", got, dim)
			}
		})
	}
	if got := IntrinsicDimension(vec.New[float32](100, 3)); !math.IsNaN(got) {
		t.Errorf("of equal rows it is %v", got)
	}
}
