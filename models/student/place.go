package student

import "slices"

// Edge joins a new point to a point of the map.
type Edge struct {
	// Mu (d) and Sigma2 are the place and the variance of the point of the map.
	Mu     []float64
	Sigma2 float64
	// Delta2 is delta_xj^2, in the problem's unit and clipped as there.
	Delta2 float64
	// S is the weight of the edge, both directions together.
	S float64
	// at is a coordinate, for Median.
	at float64
}

// Median sets mu to the coordinate-wise median of the edges' places, each as
// often as its weight says: of an even number of equal weights, the mean of the
// two in the middle. It reorders the edges. There must be at least one of
// positive weight.
func Median(mu []float64, edges []Edge) {
	var total float64
	for _, e := range edges {
		total += e.S
	}
	for c := range mu {
		for k := range edges {
			edges[k].at = edges[k].Mu[c]
		}
		slices.SortFunc(edges, func(a, b Edge) int {
			switch {
			case a.at < b.at:
				return -1
			case a.at > b.at:
				return 1
			}
			return 0
		})
		mu[c] = middle(edges, total/2)
	}
}

// middle returns the value at which half of the weight is reached: the mean of
// the first that reaches it and the first that passes it.
func middle(edges []Edge, half float64) float64 {
	var sum, low float64
	reached := false
	for _, e := range edges {
		if sum += e.S; sum < half || e.S == 0 {
			continue
		}
		if !reached {
			low, reached = e.at, true
		}
		if sum > half {
			return low + (e.at-low)/2
		}
	}
	return low
}

// Place moves mu by steps of the mu update for one new point, everything else
// frozen and without dissimilar pairs (H12):
//
//	mu = sum_j S_xj mu_j / Q_xj / sum_j S_xj / Q_xj,
//	Q_xj = delta_xj^2 + sigma_x^2 + sigma_j^2 + |mu - mu_j|^2 / (2a).
//
// It is a pure function of its arguments, to the bit, and allocates nothing. work
// has the length of mu.
func Place(mu, work []float64, edges []Edge, sigma2, tail float64, steps int) {
	half := 1 / (2 * tail)
	for range steps {
		clear(work)
		var total float64
		for k := range edges {
			e := &edges[k]
			var r2 float64
			for c, v := range e.Mu {
				d := mu[c] - v
				r2 += float64(d * d) // the conversions keep compilers from fusing
			}
			w := e.S / (e.Delta2 + (sigma2 + e.Sigma2) + float64(half*r2))
			total += w
			for c, v := range e.Mu {
				work[c] += float64(w * v)
			}
		}
		for c, v := range work {
			mu[c] = v / total
		}
	}
}

// PlaceSigma2 returns sigma_x^2 after an EM update for one new point (H9), with
// everything else frozen: dissimilar is the weight of all its dissimilar pairs
// against that of its edges, which are far and hold the variance where it is.
func PlaceSigma2(mu []float64, edges []Edge, sigma2, tail, dissimilar float64) float64 {
	var gain, total float64
	for k := range edges {
		e := &edges[k]
		p := Pair{Scale2: e.Delta2, Sigma2I: sigma2, Sigma2J: e.Sigma2, Dims: len(mu), Tail: tail}
		for c, v := range e.Mu {
			d := mu[c] - v
			p.Dist2 += float64(d * d)
		}
		gain += float64(e.S * p.Slope())
		total += e.S
	}
	gain /= float64(float64(len(mu)) * float64(total*(1+dissimilar)))
	return sigma2 * (1 + float64(sigma2*gain))
}
