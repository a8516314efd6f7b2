package score

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// For uniform rows on a cube of known dimension, rotated into more dimensions, the estimate is
// within 15 % of it.
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
			got, err := IntrinsicDimension(t.Context(), x, distance.Euclidean, 1)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got-float64(dim)) > 0.15*float64(dim) {
				t.Errorf("%v, expected about %d", got, dim)
			}
		})
	}
	if got, err := IntrinsicDimension(t.Context(), vec.New[float32](100, 3), distance.Euclidean, 1); !math.IsNaN(got) || err != nil {
		t.Errorf("of equal rows it is %v, %v", got, err)
	}
}

// Rows on a lattice have no estimate, because their two nearest rows are equally far up to
// rounding.
func TestIntrinsicDimensionOfALattice(t *testing.T) {
	x := vec.New[float32](360, 2)
	for i := range x.Rows {
		sin, cos := math.Sincos(float64(i) * math.Pi / 180)
		copy(x.Row(i), []float32{float32(cos), float32(sin)})
	}
	if got, err := IntrinsicDimension(t.Context(), x, distance.Euclidean, 1); !math.IsNaN(got) || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}

// Equal rows count once, and rows with a missing value do not.
func TestIntrinsicDimensionOfRows(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 9))
	const rows, cols = 200, 4
	x := vec.New[float32](rows, cols)
	for i := range x.Data {
		x.Data[i] = float32(random.NormFloat64())
	}
	want, err := IntrinsicDimension(t.Context(), x, distance.Euclidean, 1)
	if err != nil || math.IsNaN(want) {
		t.Fatal(want, err)
	}
	more := vec.New[float32](3*rows, cols)
	for i := range rows {
		copy(more.Row(3*i), x.Row(i))
		copy(more.Row(3*i+1), x.Row(i))
		more.Row(3*i + 2)[i%cols] = float32(math.NaN())
	}
	if got, err := IntrinsicDimension(t.Context(), more, distance.Euclidean, 2); got != want || err != nil {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}
