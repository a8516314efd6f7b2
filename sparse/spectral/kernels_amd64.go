//go:build amd64 && !noasm

package spectral

import "unfold/internal/simd"

func productsLevel(level simd.Level, sums *[2 * wide * wide]float64, x, y, z []float64) {
	if level < simd.AVX2 || len(x) == 0 {
		productsGeneric(sums, x, y, z)
		return
	}
	_, _ = y[len(x)-1], z[len(x)-1]
	productsAVX2(&sums[0], &x[0], &y[0], &z[0], len(x)/wide)
}

func combineLevel(level simd.Level, x, w, p []float64, coeff *[3 * wide * wide]float64) {
	if level < simd.AVX2 || len(x) == 0 {
		combineGeneric(x, w, p, coeff)
		return
	}
	_, _ = w[len(x)-1], p[len(x)-1]
	combineAVX2(&x[0], &w[0], &p[0], &coeff[0], len(x)/wide)
}

func residualLevel(level simd.Level, r, x, lx []float64, theta, sums *[wide]float64) {
	if level < simd.AVX2 || len(r) == 0 {
		residualGeneric(r, x, lx, theta, sums)
		return
	}
	_, _ = x[len(r)-1], lx[len(r)-1]
	residualAVX2(&r[0], &x[0], &lx[0], &theta[0], &sums[0], len(r)/wide)
}

func projectLevel(level simd.Level, x, o []float64, part *[wide * wide]float64) {
	if level < simd.AVX2 || len(x) == 0 {
		projectGeneric(x, o, part)
		return
	}
	_ = o[len(x)-1]
	projectAVX2(&x[0], &o[0], &part[0], len(x)/wide)
}
