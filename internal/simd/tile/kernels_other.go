//go:build !(amd64 || arm64) || noasm

package tile

import "unfold/internal/simd"

func scan(_ simd.Level, s *scanned) { scanGeneric(s) }

func lowerBounds(_ simd.Level, s *boundsJob) { lowerBoundsGeneric(s) }

func add(_ simd.Level, dst []float64, stride int, a, b []float32, depth int) {
	addGeneric(dst, stride, a, b, depth)
}

func ordered(_ simd.Level, sum, a, w []float64, rows, depth int) {
	orderedGeneric(sum, a, w, rows, depth)
}

func orderedOne(_ simd.Level, sum, a, w []float64, depth, dim int) {
	orderedOneGeneric(sum, a, w, depth, dim)
}
