package knn

import (
	"math"

	"unfold/sparse/distance"
)

// LogRatios returns the sum of log(r2/r1) over all points whose nearest neighbour is at a distance r1
// above 0, where r2 is the distance of the second nearest, and the number of these points. Their
// quotient estimates the reciprocal of the dimension of the manifold that the points lie on (TwoNN;
// Facco et al. 2017, "Estimating the intrinsic dimension of datasets by a minimal neighborhood
// information", eq. 3: the logarithm is exponential with that dimension as its rate). Lists must have
// at least two neighbours, by the distance d.
func (nb *Neighbors) LogRatios(d distance.Distance) (sum float64, n int) {
	for i := range nb.N {
		_, dist2 := nb.Row(i)
		if near := d.Length(dist2[0]); near > 0 {
			n++
			sum += math.Log(d.Length(dist2[1]) / near)
		}
	}
	return sum, n
}
