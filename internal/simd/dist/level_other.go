//go:build !(amd64 || arm64) || noasm

package dist

import "unfold/internal/simd"

func pair(_ simd.Level, a, b []float32) float32 { return pairTwin(a, b) }

func several(_ simd.Level, out, q, data []float32, stride, limit int, rows []int32) int {
	return rowsTwin(out, q, data, stride, limit, rows)
}

func absolutes(_ simd.Level, m absolute, out, q, data []float32, stride, limit int, rows []int32) int {
	return absolutesTwin(m, out, q, data, stride, limit, rows)
}

func doubles(simd.Level, absolute, *[4]float64, []float32, []float32, int) bool { return false }

func exactly(_ simd.Level, out []float64, q, data []float32, stride, limit int, rows []int32) int {
	return exactTwin(out, q, data, stride, limit, rows)
}

func touch([]int32) {}
