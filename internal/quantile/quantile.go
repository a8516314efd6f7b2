// Package quantile holds the quantiles that the other packages use: of single elements
// where rounding must not matter, and the middle of two where a formula asks for it.
package quantile

import (
	"cmp"
	"slices"
)

// Of returns the q-quantile of ascending values, q in [0,1]: the element that has a share
// of q of them before it. There must be a value.
func Of[T any](sorted []T, q float64) T {
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// Median returns the upper median of values, which it sorts. There must be a value.
func Median[T cmp.Ordered](values []T) T {
	slices.Sort(values)
	return Of(values, 0.5)
}

// Middle returns the median of values, which it sorts: of an even number of values the
// mean of the two in the middle. There must be a value.
func Middle(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	low, high := values[(n-1)/2], values[n/2]
	return low + (high-low)/2
}
