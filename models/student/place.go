package student

import (
	"math"

	"unfold/internal/quantile"
)

// Edge joins a new point to a point of the map.
type Edge struct {
	// Mu (d) and Sigma2 are the place and the variance of the point of the map.
	Mu     []float64
	Sigma2 float64
	// Delta2 is delta_xj^2, in the problem's unit and clipped as in the problem.
	Delta2 float64
	// S is the sum of the weights of both directions of the edge.
	S float64
	// likely is the edge's weight in the likelihood, used for the event's error.
	likely float64
}

// Median sets mu to the coordinate-wise weighted median of the edges' places. For an even number of
// equal weights it is the mean of the two middle values. At least one weight must be positive. work
// is scratch memory of two elements per edge.
func Median(mu, work []float64, edges []Edge) {
	at, s := work[:len(edges)], work[len(edges):2*len(edges)]
	for c := range mu {
		var total float64
		for k := range edges {
			at[k], s[k] = edges[k].Mu[c], edges[k].S
			total += s[k]
		}
		mu[c] = middle(at, s, total/2)
	}
}

// few is the largest number of values that middle sorts directly.
const few = 10

// middle returns the weighted median: the mean of the first value at which the sum of weights
// reaches half and the first at which it exceeds half. It reorders both slices (Hoare's selection,
// with the median of three as pivot).
func middle(at, s []float64, half float64) float64 {
	for len(at) > few {
		pivot := quantile.Of3(at[0], at[len(at)/2], at[len(at)-1])
		left, sum := divide(at, s, pivot)
		if left == 0 {
			// The pivot is the least value, so values equal to it are moved to the left.
			left, sum = divide(at, s, math.Nextafter(pivot, math.Inf(1)))
		}
		if left == len(at) || sum == half {
			break // all values are equal, or the median lies between the two parts
		}
		if sum > half {
			at, s = at[:left], s[:left]
		} else {
			at, s, half = at[left:], s[left:], half-sum
		}
	}
	for i := range at {
		for j := i; j > 0 && at[j] < at[j-1]; j-- {
			at[j], at[j-1], s[j], s[j-1] = at[j-1], at[j], s[j-1], s[j]
		}
	}
	return passing(at, s, half)
}

// passing is middle for ascending values. It returns the last value if rounding keeps all sums
// below half.
func passing(at, s []float64, half float64) float64 {
	var sum, low, last float64
	reached := false
	for k, v := range at {
		if s[k] == 0 {
			continue
		}
		last = v
		if sum += s[k]; sum < half {
			continue
		}
		if !reached {
			low, reached = v, true
		}
		if sum > half {
			return low + (v-low)/2
		}
	}
	return last
}

// divide moves the values below pivot to the front. It returns their number and their total weight.
func divide(at, s []float64, pivot float64) (n int, weight float64) {
	s = s[:len(at)]
	for k, v := range at {
		if v < pivot {
			weight += s[k]
			at[k], at[n], s[k], s[n] = at[n], v, s[n], s[k]
			n++
		}
	}
	return n, weight
}

// Place moves mu by the given number of steps of the mu update for one new point (H12). Everything
// else is frozen, and dissimilar pairs are ignored:
//
//	mu = sum_j S_xj mu_j / Q_xj / sum_j S_xj / Q_xj,
//	Q_xj = delta_xj^2 + sigma_x^2 + sigma_j^2 + |mu - mu_j|^2 / (2a).
//
// The result is a bit-exact function of the arguments. Place does not allocate. work is scratch
// memory of the length of mu.
func Place(mu, work []float64, edges []Edge, sigma2, tail float64, steps int) {
	half := 1 / (2 * tail)
	for range steps {
		if len(mu) == 2 {
			mu[0], mu[1] = planeStep(mu[0], mu[1], edges, sigma2, half)
			continue
		}
		clear(work)
		var total float64
		for k := range edges {
			e := &edges[k]
			var r2 float64
			for c, v := range e.Mu {
				d := mu[c] - v
				r2 += float64(d * d) // the conversions prevent fused multiply-adds
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

// planeStep is a step of Place in two dimensions, computed in registers.
func planeStep(x, y float64, edges []Edge, sigma2, half float64) (float64, float64) {
	var sumX, sumY, total float64
	for k := range edges {
		e := &edges[k]
		at := (*[2]float64)(e.Mu)
		dx, dy := x-at[0], y-at[1]
		r2 := float64(dx*dx) + float64(dy*dy)
		w := e.S / (e.Delta2 + (sigma2 + e.Sigma2) + float64(half*r2))
		total += w
		sumX += float64(w * at[0])
		sumY += float64(w * at[1])
	}
	return sumX / total, sumY / total
}
