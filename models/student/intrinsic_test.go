package student

import (
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
)

// flatPoints returns n points of a cube of the given dimension, turned into a space of more.
func flatPoints(n, dim, space int) vec.Matrix[float32] {
	r := rand.New(rand.NewPCG(uint64(dim), 1))
	turn := make([]float64, dim*space)
	for i := range turn {
		turn[i] = r.NormFloat64()
	}
	x := vec.New[float32](n, space)
	for i := range n {
		for d := range dim {
			at := r.Float64()
			for j := range space {
				x.Row(i)[j] += float32(at * turn[d*space+j])
			}
		}
	}
	return x
}

// TestIntrinsic: the estimate is about the dimension of a cube, with any distance that is locally
// Euclidean, and unknown where distances say nothing.
func TestIntrinsic(t *testing.T) {
	for _, dim := range []int{1, 2, 5, 9} {
		x := flatPoints(4000, dim, 20)
		if got := Intrinsic(neighbors(t, x, 2), distance.Euclidean); math.Abs(got/float64(dim)-1) > 0.15 {
			t.Errorf("a cube of %d dimensions: %v", dim, got)
		}
	}
	nb, err := knn.Graph(t.Context(), flatPoints(4000, 2, 20), 2, knn.Settings{Distance: distance.Manhattan})
	if err != nil {
		t.Fatal(err)
	}
	if got := Intrinsic(nb, distance.Manhattan); math.Abs(got-2) > 0.3 {
		t.Errorf("a sheet by the distance manhattan: %v", got)
	}
	for _, c := range []struct {
		name  string
		dist2 []float64 // two a point
		want  float64
	}{
		{"a lattice", []float64{1, 1, 4, 4}, 0},
		{"equal to the nearest", []float64{0, 1, 1, math.E * math.E}, 1},
		{"without a bound", []float64{1, math.Inf(1)}, 0},
	} {
		nb := knn.NewNeighbors(len(c.dist2)/2, 2)
		copy(nb.Dist2, c.dist2)
		if got := Intrinsic(nb, distance.Euclidean); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if got := Intrinsic(knn.NewNeighbors(9, 1), distance.Euclidean); got != 0 {
		t.Errorf("short lists: %v", got)
	}
}

// TestWeightByDimension: a fit and a learner take the default weight of the points' dimension.
func TestWeightByDimension(t *testing.T) {
	for _, c := range []struct {
		dim   int
		ratio float64
	}{{2, LeastRatio}, {9, MostRatio}} {
		x := flatPoints(3000, c.dim, 20)
		set := Settings{Common: models.Common{Steps: 2, Lists: 60}}
		r, err := Fit(t.Context(), x, set, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Settings.Weight * 2999 / DefaultNeighbors; math.Abs(got-c.ratio) > 1e-6 {
			t.Errorf("%d dimensions: sum D / sum S of a fit is %v, want %v", c.dim, got, c.ratio)
		}
		l, err := NewLearner(x, r.Neighbors, set, 0)
		if err != nil {
			t.Fatal(err)
		}
		if l.Settings.Weight != r.Settings.Weight {
			t.Errorf("%d dimensions: the weight of a learner is %v, of a fit %v", c.dim, l.Settings.Weight, r.Settings.Weight)
		}
	}
}
