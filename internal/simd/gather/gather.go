package gather

import (
	"fmt"

	"unfold/internal/simd"
	"unfold/internal/vec"
)

// Sum overwrites dst with sum_t weights[t] X_(list[t]), for the first len(dst) columns. The last
// row may end there.
func Sum(dst []float64, x vec.Matrix[float64], list []int32, weights []float64) {
	check(len(dst), x, list, weights)
	if len(list) == 0 || len(dst) == 0 {
		clear(dst)
		return
	}
	sum(simd.Best(), dst, x.Data, x.Cols, list, weights)
}

// Slope overwrites dst with sum_t weights[t] (P_(list[t]) - P_own) * X_(list[t]), for the first
// len(dst) columns, with * element by element. P and X have the same shape.
func Slope(dst []float64, p vec.Matrix[float64], own int, x vec.Matrix[float64], list []int32, weights []float64) {
	check(len(dst), x, list, weights)
	if p.Rows != x.Rows || p.Cols != x.Cols || len(p.Data) < (p.Rows-1)*p.Cols+len(dst) || own < 0 || own >= p.Rows {
		panic(fmt.Sprintf("gather: row %d of matrices of %d x %d and %d x %d", own, p.Rows, p.Cols, x.Rows, x.Cols))
	}
	if len(list) == 0 || len(dst) == 0 {
		clear(dst)
		return
	}
	slope(simd.Best(), dst, p.Data, own, x.Data, x.Cols, list, weights)
}

// check panics for arguments with which a kernel would access other memory.
func check(n int, x vec.Matrix[float64], list []int32, weights []float64) {
	if n > x.Cols || len(weights) < len(list) || len(x.Data) < (x.Rows-1)*x.Cols+n {
		panic(fmt.Sprintf("gather: %d columns of %d, %d weights for %d rows", n, x.Cols, len(weights), len(list)))
	}
	for _, l := range list {
		if l < 0 || int(l) >= x.Rows {
			panic(fmt.Sprintf("gather: row %d of %d", l, x.Rows))
		}
	}
}

// sumGeneric is the plain twin of the kernels.
func sumGeneric(dst, x []float64, stride int, list []int32, w []float64) {
	clear(dst)
	for t, l := range list {
		wt := w[t]
		for j, v := range x[int(l)*stride:][:len(dst)] {
			dst[j] += float64(wt * v)
		}
	}
}

// slopeGeneric is the plain twin of the kernels.
func slopeGeneric(dst, p []float64, own int, x []float64, stride int, list []int32, w []float64) {
	clear(dst)
	pi := p[own*stride:][:len(dst)]
	for t, l := range list {
		wt, pl := w[t], p[int(l)*stride:][:len(dst)]
		for j, v := range x[int(l)*stride:][:len(dst)] {
			dst[j] += float64(float64((pl[j]-pi[j])*wt) * v)
		}
	}
}
