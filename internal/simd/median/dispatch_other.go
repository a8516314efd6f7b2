//go:build !amd64 || noasm

package median

import "unfold/internal/simd"

func extentAt(_ simd.Level, x []float64) (low, high float64) {
	low, high = nothing()
	return extent(x, low, high)
}

func belowAt(_ simd.Level, x []float64, p float64) int { return below(x, p) }

func betweenAt(_ simd.Level, number []float64, index []int32, x []float64, of []int32, low, high float64) int {
	return between(number, index, x, of, 0, 0, low, high)
}

func divideAt(_ simd.Level, t *Table, k, from, to int, v float64, last int32) int {
	return divide(t, k, from, to, from, from, v, last)
}
