package labels

import (
	"math/rand/v2"

	"unfold/internal/vec"
)

// centres returns up to m inducing inputs from x with k-means and a spread start (Arthur and
// Vassilvitskii, "k-means++", 2007). There are fewer if x has fewer distinct places.
func centres(x vec.Matrix[float64], m int, seed uint64) vec.Matrix[float64] {
	const rounds = 5
	rnd := rand.New(rand.NewPCG(seed, 1))
	z := vec.New[float64](m, x.Cols)
	d2, near := make([]float64, x.Rows), make([]int, x.Rows)
	for i := range d2 {
		d2[i] = 1
	}
	for a := range m {
		i, some := draw(d2, rnd.Float64())
		if !some {
			z = z.Slice(0, a) // every distinct place is a centre
			break
		}
		copy(z.Row(a), x.Row(i))
		for j := range d2 {
			if v := vec.SquaredDistance(x.Row(j), z.Row(a)); a == 0 || v < d2[j] {
				d2[j], near[j] = v, a
			}
		}
	}
	for range rounds {
		count, sum := make([]float64, z.Rows), vec.New[float64](z.Rows, x.Cols)
		for j, a := range near {
			count[a]++
			vec.Axpy(1, x.Row(j), sum.Row(a))
		}
		for a, n := range count {
			if n > 0 {
				copy(z.Row(a), sum.Row(a))
				vec.Scale(1/n, z.Row(a))
			}
		}
		for j := range near {
			near[j] = nearestRow(z, x.Row(j))
		}
	}
	return z
}

// draw returns an index with a probability in proportion to weight. It returns false if all weights
// are zero.
func draw(weight []float64, u float64) (at int, some bool) {
	sum := 0.0
	for _, w := range weight {
		sum += w
	}
	u *= sum
	for i, w := range weight {
		if w > 0 {
			at, some = i, true
		}
		if u -= w; u < 0 && some {
			break
		}
	}
	return at, some
}
