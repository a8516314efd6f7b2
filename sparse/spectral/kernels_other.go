//go:build !amd64 || noasm

package spectral

import "unfold/internal/simd"

func productsLevel(_ simd.Level, sums *[2 * wide * wide]float64, x, y, z []float64) {
	productsGeneric(sums, x, y, z)
}

func combineLevel(_ simd.Level, x, w, p []float64, coeff *[3 * wide * wide]float64) {
	combineGeneric(x, w, p, coeff)
}

func residualLevel(_ simd.Level, r, x, lx []float64, theta, sums *[wide]float64) {
	residualGeneric(r, x, lx, theta, sums)
}

func projectLevel(_ simd.Level, x, o []float64, part *[wide * wide]float64) {
	projectGeneric(x, o, part)
}
