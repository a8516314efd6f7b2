package score

import (
	"math/rand/v2"

	"unfold/internal/par"
	"unfold/internal/vec"
)

// defaultTriplets is how many random triples are judged.
const defaultTriplets = 100_000

// triplets returns the share of count random triples (i, j, k) of different points
// for which the map agrees with the data on which of j and k is nearer to i. Where
// the data or the map cannot order, since both are as near, it counts one half.
func triplets(x, y vec.Matrix[float32], count int, seed uint64, threads int) float64 {
	drawn := drawTriplets(x.Rows, count, seed)
	const size = 1024
	halves := make([]int, par.Pieces(count, size))
	par.Ranges(threads, count, size, func(p, from, to int) {
		for _, t := range drawn[from:to] {
			switch in, on := order(x, t), order(y, t); {
			case in == 0 || on == 0:
				halves[p]++
			case in == on:
				halves[p] += 2
			}
		}
	})
	sum := 0
	for _, h := range halves {
		sum += h
	}
	return float64(sum) / float64(2*count)
}

// drawTriplets draws triples of different points of n, all equally likely.
func drawTriplets(n, count int, seed uint64) [][3]int32 {
	r := rand.New(rand.NewPCG(seed, 0x7419))
	out := make([][3]int32, count)
	for m := range out {
		i, j, k := r.IntN(n), r.IntN(n-1), r.IntN(n-2)
		// The j-th of the points that are not i, the k-th of those that are neither.
		if j >= i {
			j++
		}
		if k >= min(i, j) {
			k++
		}
		if k >= max(i, j) {
			k++
		}
		out[m] = [3]int32{int32(i), int32(j), int32(k)}
	}
	return out
}

// order is -1 if t's second point is nearer to its first than the third is, 1 if
// it is farther, else 0.
func order(x vec.Matrix[float32], t [3]int32) int {
	i := x.Row(int(t[0]))
	j, k := vec.SquaredDistance(i, x.Row(int(t[1]))), vec.SquaredDistance(i, x.Row(int(t[2])))
	switch {
	case j < k:
		return -1
	case j > k:
		return 1
	}
	return 0
}
