//go:build !(amd64 || arm64) || noasm

package dist

import "unfold/internal/simd"

func pair(_ simd.Level, a, b []float32) float32 { return pairTwin(a, b) }

func several(_ simd.Level, m measure, out, q, data []float32, stride, limit int, rows []int32) int {
	return rowsTwin(m, out, q, data, stride, limit, rows)
}

func doubles(simd.Level, measure, *[4]float64, []float32, []float32, int) bool { return false }

func exactly(_ simd.Level, out []float64, q, data []float32, stride, limit int, rows []int32) int {
	return exactTwin(out, q, data, stride, limit, rows)
}

func touch([]int32) {}
