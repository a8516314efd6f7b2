//go:build !amd64 || noasm

package solve

import "unfold/internal/simd"

func (m *sliced) mulLevel(_ simd.Level, q, p []float32, from, to int, sums *[4 * slice]float32) {
	m.mul(q, p, from, to, sums)
}

func singleStepLevel(_ simd.Level, x, r, p, q, weight []float32, factors *[4]float32, sums *[4 * slice]float32) {
	singleStep(x, r, p, q, weight, factors, sums)
}
