package knn

import (
	"cmp"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/quantile"
	"unfold/internal/vec"
)

// sampled is the number of evenly spaced rows that the functions below examine.
const sampled = 1001

// centre returns the median of every column over the sampled rows. Any centre gives right results;
// with the median, a few distant rows do not increase every row's norm and thereby the error bound.
func centre[T vec.Float](x vec.Matrix[T]) []float64 {
	c := make([]float64, x.Cols)
	count := min(x.Rows, sampled)
	if count == 0 {
		return c
	}
	sample := make([]float64, count)
	for k := range c {
		for s := range sample {
			sample[s] = float64(x.Data[s*x.Rows/count*x.Cols+k])
		}
		quantile.Divide(sample, count/2)
		c[k] = slices.Min(sample[count/2:])
	}
	return c
}

// scaleOf returns the power of two that scales the largest |x_ik - c_k| to 1/2..1, so that float32
// neither overflows nor underflows.
func scaleOf[T vec.Float](x vec.Matrix[T], centre []float64, threads int) float64 {
	const size = 4096
	largest := make([]float64, par.Pieces(x.Rows, size))
	par.Ranges(threads, x.Rows, size, func(piece, from, to int) {
		var most float64
		for i := from; i < to; i++ {
			for k, v := range x.Row(i) {
				most = max(most, math.Abs(float64(v)-centre[k]))
			}
		}
		largest[piece] = most
	})
	var most float64
	for _, v := range largest {
		most = max(most, v)
	}
	if most == 0 {
		return 1
	}
	_, exp := math.Frexp(most)
	// The square of the scale must be finite too. 2^400 is beyond any real data, and smaller
	// differences are covered by the bound's last term.
	return math.Ldexp(1, min(-exp, 400))
}

// byVariance returns the columns by decreasing variance over the sampled rows, and the length of
// the prefix with four fifths of the variance. The length is 0 if the prefix is so long that
// comparing it first would not pay. Both affect time only.
func byVariance[T vec.Float](x vec.Matrix[T], centre []float64, scale float64) (columns []int, prefix int) {
	variance := make([]float64, x.Cols)
	var total float64
	count := min(x.Rows, sampled)
	for s := range count {
		for k, v := range x.Row(s * x.Rows / count) {
			d := (float64(v) - centre[k]) * scale
			variance[k] += d * d
			total += d * d
		}
	}
	columns = make([]int, x.Cols)
	for k := range columns {
		columns[k] = k
	}
	slices.SortStableFunc(columns, func(a, b int) int { return cmp.Compare(variance[b], variance[a]) })
	for sum := 0.0; prefix < x.Cols && sum < 0.8*total; prefix++ {
		sum += variance[columns[prefix]]
	}
	prefix = max(prefix, 8)
	if prefix > x.Cols*3/5 {
		return columns, 0
	}
	return columns, prefix
}
