package score

import (
	"math"

	"unfold/internal/vec"
)

// IntrinsicDimension estimates the dimension of the set that rows lie on, by the ratios
// mu_i = r_2 / r_1 of the distances to the two nearest other rows (TwoNN; Facco et al. 2017,
// "Estimating the intrinsic dimension of datasets by a minimal neighborhood information",
// eq. 3: log mu is exponential with rate d). The unbiased estimate of that rate is
//
//	d = (n - 1) / sum_i log mu_i
//
// It looks at no more than 2,000 rows, of long ones at fewer, spread over all, and so at scales that are coarser
// than those of all rows; equal rows count once. NaN: there are too few different rows.
func IntrinsicDimension(x vec.Matrix[float32]) float64 {
	const rows, work = 2000, 1 << 28
	m := min(x.Rows, rows, max(50, int(math.Sqrt(work/float64(max(x.Cols, 1))))))
	if m < 3 {
		return math.NaN()
	}
	sample := make([]int, m)
	for i := range sample {
		sample[i] = int(int64(i) * int64(x.Rows) / int64(m))
	}
	first, second := make([]float64, m), make([]float64, m)
	for i := range first {
		first[i], second[i] = math.Inf(1), math.Inf(1)
	}
	near := func(i int, d float64) {
		switch {
		case d < first[i]:
			first[i], second[i] = d, first[i]
		case d < second[i]:
			second[i] = d
		}
	}
	for i := range m {
		for j := range i {
			if d := vec.SquaredDistance(x.Row(sample[i]), x.Row(sample[j])); d > 0 {
				near(i, d)
				near(j, d)
			}
		}
	}
	n, sum := 0.0, 0.0
	for i := range m {
		if !math.IsInf(second[i], 1) {
			n++
			sum += math.Log(second[i]/first[i]) / 2
		}
	}
	if n < 3 || !(sum > 0) {
		return math.NaN()
	}
	return (n - 1) / sum
}
