package clusters

import (
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse/distance"
	"unfold/sparse/knn/knntest"
)

// TestDistances: core distances equal those of a double loop, and edges are as long as those of
// Prim's algorithm over all pairs, with and without boxes. An existing point is predicted to be in
// its own cluster.
func TestDistances(t *testing.T) {
	for _, d := range distances[1:] {
		for _, dim := range []int{2, boxedColumns, boxedColumns + 1, 70} {
			random := rand.New(rand.NewPCG(1, uint64(dim)))
			x := vec.New[float32](300, dim)
			for i := range x.Rows {
				for k := range x.Row(i) {
					x.Row(i)[k] = float32(i%3*(k+1)%5*4) + float32(random.NormFloat64())
					if d.Bits() {
						on := random.Float64() < 0.08+0.5*float64((k+i)%3/2)
						if x.Row(i)[k] = 0; on {
							x.Row(i)[k] = 1
						}
					}
				}
			}
			if !d.Bits() {
				distance.Restrict(d, x)
			}
			copy(x.Row(9), x.Row(2))
			set := Settings{MinSize: 10, MinSamples: 4, Distance: d, Threads: 2}
			c, err := Find(t.Context(), x, set)
			if err != nil {
				t.Fatal(err)
			}
			want := make([]float64, x.Rows)
			nb := knntest.BruteGraphBy(d, x, 4)
			for i := range want {
				_, dist2 := nb.Row(i)
				want[i] = dist2[3]
			}
			if !slices.Equal(c.Core2, want) {
				t.Errorf("%v, dim %d: other core distances", d, dim)
			}
			if !slices.Equal(lengths(c), prim(d, x, c.Core2)) {
				t.Errorf("%v, dim %d: the edges are not the shortest", d, dim)
			}
			q := x.Slice(0, 40).Clone()
			if !d.Bits() {
				for i := range q.Data {
					q.Data[i] += 0.01
				}
			}
			got, err := NewPredictor(c, x).Predict(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for i, near := range nearestOf(d, x, q, 2*set.MinSamples) {
				if point, lambda := c.Hierarchy().joined(near, set.Length); got.places[i] != c.Hierarchy().place(point, lambda) {
					t.Errorf("%v, dim %d: row %d joins elsewhere than the nearest point", d, dim, i)
				}
			}
		}
	}
}

// nearestOf returns the k nearest rows of x of each row of q, by a double loop.
func nearestOf(d distance.Distance, x, q vec.Matrix[float32], k int) []nearest {
	nb, out := knntest.BruteBy(d, x, q, k, nil), make([]nearest, q.Rows)
	for i := range out {
		index, dist2 := nb.Row(i)
		for p, j := range index {
			out[i] = append(out[i], neighbor{j, dist2[p]})
		}
	}
	return out
}
