package score

import (
	"math"
	"math/rand/v2"
	"slices"

	"unfold/internal/vec"
)

// choose returns m of the numbers 0..n-1, drawn uniformly without replacement, in ascending order.
func choose(n, m int, seed uint64) []int {
	out := rand.New(rand.NewPCG(seed, 0x5a3)).Perm(n)[:m]
	slices.Sort(out)
	return out
}

// drawOrdered draws count of the numbers 0..n-1 independently and returns them in ascending order.
func drawOrdered(r *rand.Rand, n, count int) []int32 {
	times := make([]int32, n)
	for range count {
		times[r.IntN(n)]++
	}
	out := make([]int32, 0, count)
	for i, t := range times {
		for range t {
			out = append(out, int32(i))
		}
	}
	return out
}

// everyone returns 0..n-1.
func everyone(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// sampleMeans returns the mean of every column over rows drawn without replacement from a
// population, and its standard error. The error is 0 if all rows were drawn, NaN for one row.
func sampleMeans(rows vec.Matrix[float64], population int) (mean, err []float64) {
	m := float64(rows.Rows)
	mean, err = make([]float64, rows.Cols), make([]float64, rows.Cols)
	for i := range rows.Rows {
		for c, v := range rows.Row(i) {
			mean[c] += v
		}
	}
	for c := range mean {
		mean[c] /= m
	}
	if rows.Rows == population {
		return mean, err
	}
	for i := range rows.Rows {
		for c, v := range rows.Row(i) {
			err[c] += (v - mean[c]) * (v - mean[c])
		}
	}
	// The variance of a mean of m out of N values is the variance of the values times (1/m - 1/N).
	left := 1/m - 1/float64(population)
	for c, v := range err {
		err[c] = math.Sqrt(v / (m - 1) * left)
	}
	return mean, err
}
