package gallery

import (
	"unfold/internal/vec"
)

// RandomGeometric returns n uniform points of the unit square and the pairs
// i < j of points closer than radius, with weight 1 - distance^2/radius^2 in
// (0,1]: a graph with the uneven degrees of real neighbourhood graphs. It costs
// n^2 distances.
func RandomGeometric(n int, radius float64, seed uint64) (x vec.Matrix[float64], i, j []int32, w []float64) {
	x = Uniform(n, 2, seed)
	limit := radius * radius
	for a := range n {
		for b := a + 1; b < n; b++ {
			if d2 := vec.SquaredDistance(x.Row(a), x.Row(b)); d2 < limit {
				i, j, w = append(i, int32(a)), append(j, int32(b)), append(w, 1-d2/limit)
			}
		}
	}
	return x, i, j, w
}
