package knn

import (
	"math"

	"unfold/sparse/distance"
)

// beyond returns a threshold for the results of a kernel: if one exceeds it, d2 of the rows of n
// columns is above most. It is +Inf without a kernel.
func beyond(k *distance.Kernel, most float64, n int) float64 {
	switch {
	case k == nil:
		return math.Inf(1)
	case most < 0:
		return math.Inf(-1)
	}
	return k.Beyond(most, n)
}
