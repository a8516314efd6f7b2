// Package quantile computes quantiles: single elements, for uses where rounding must not matter,
// and the mean of the two middle elements, for formulas that require it.
package quantile

import (
	"cmp"
	"slices"
)

// Of returns the q-quantile of ascending values, q in [0,1]: the element with a share q of the
// values before it. There must be at least one value.
func Of[T any](sorted []T, q float64) T {
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// Median returns the upper median of values, which it sorts. There must be at least one value.
func Median[T cmp.Ordered](values []T) T {
	slices.Sort(values)
	return Of(values, 0.5)
}

// Middle returns the median of values, which it reorders. For an even number of values it is the
// mean of the two middle ones. There must be at least one value.
func Middle(values []float64) float64 {
	n := len(values)
	Divide(values, n/2)
	high := slices.Min(values[n/2:])
	if n%2 == 1 {
		return high
	}
	low := slices.Max(values[:n/2])
	return low + (high-low)/2
}

// Divide moves the m smallest values to the front (Hoare's selection, with the median of
// three as pivot).
func Divide[T cmp.Ordered](values []T, m int) {
	from, to := 0, len(values)
	for to-from > 1 {
		pivot := Of3(values[from], values[(from+to)/2], values[to-1])
		i, j := from, to-1
		for {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i >= j {
				break
			}
			values[i], values[j] = values[j], values[i]
			i++
			j--
		}
		// Now values[from:i] <= pivot <= values[i:to], and i is inside.
		switch {
		case m < i:
			to = i
		case m > i:
			from = i
		default:
			return
		}
	}
}

// Of3 returns the median of three values.
func Of3[T cmp.Ordered](a, b, c T) T { return max(min(a, b), min(max(a, b), c)) }
