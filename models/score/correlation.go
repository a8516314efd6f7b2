package score

import (
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/models"
)

// shepard returns Spearman's rank correlation of the distances of all pairs of
// the given points in x and in y. Ties have their mean rank. It is 0 if all
// distances on one side are equal.
func shepard[T, U vec.Float](x vec.Matrix[T], y vec.Matrix[U], points []int) float64 {
	pairs := len(points) * (len(points) - 1) / 2
	a, b := make([]float64, 0, pairs), make([]float64, 0, pairs)
	for m, i := range points {
		for _, j := range points[:m] {
			a = append(a, vec.SquaredDistance(x.Row(i), x.Row(j)))
			b = append(b, vec.SquaredDistance(y.Row(i), y.Row(j)))
		}
	}
	return correlate(ranks(a), ranks(b))
}

// ranks returns the ranks of v, from 1, ties at their mean.
func ranks(v []float64) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case v[a] < v[b]:
			return -1
		case v[a] > v[b]:
			return 1
		}
		return a - b
	})
	out := make([]float64, len(v))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && v[order[to]] == v[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to+1) / 2
		}
		from = to
	}
	return out
}

// correlate returns the correlation of two lists of ranks, 0 if one of them is
// constant.
func correlate(a, b []float64) float64 {
	mean := float64(len(a)+1) / 2
	var aa, bb, ab float64
	for i := range a {
		aa += (a[i] - mean) * (a[i] - mean)
		bb += (b[i] - mean) * (b[i] - mean)
		ab += (a[i] - mean) * (b[i] - mean)
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// AUC returns the area under the ROC curve: the probability that a positive
// event's score is above a negative one's, ties counting half. Both must be there.
func AUC(positive, negative []float64) (float64, error) {
	if len(positive) == 0 || len(negative) == 0 {
		return 0, models.BadInputf("score: %d positive and %d negative events: both must be there for an AUC", len(positive), len(negative))
	}
	all := append(slices.Clone(positive), negative...)
	if i := slices.IndexFunc(all, math.IsNaN); i >= 0 {
		return 0, models.BadInputf("score: score %d is NaN", i)
	}
	// The Mann-Whitney statistic: the positives' rank sum above its least value.
	var sum float64
	for _, r := range ranks(all)[:len(positive)] {
		sum += r
	}
	p, n := float64(len(positive)), float64(len(negative))
	return (sum - p*(p+1)/2) / (p * n), nil
}
