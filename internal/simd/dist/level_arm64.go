//go:build arm64 && !noasm

package dist

import (
	"unsafe"

	"unfold/internal/simd"
)

// pair requires at least one element, and as many in b as in a.
func pair(l simd.Level, a, b []float32) float32 {
	if l != simd.NEON {
		return pairTwin(a, b)
	}
	return pairNEON(&a[0], &b[0], len(a))
}

// several returns 0, or the number of remaining rows when a row is not below limit. It requires at
// least one row and as many elements in out.
func several(l simd.Level, m measure, out, q, data []float32, stride, limit int, rows []int32) int {
	if l != simd.NEON || m != squared {
		return rowsTwin(m, out, q, data, stride, limit, rows)
	}
	return rowsNEON(&out[0], unsafe.SliceData(q), len(q), unsafe.SliceData(data), 4*stride, limit, &rows[0], len(rows))
}

func doubles(simd.Level, measure, *[4]float64, []float32, []float32, int) bool { return false }

// exactly is several in double precision, with the bits of vec.SquaredDistance.
func exactly(_ simd.Level, out []float64, q, data []float32, stride, limit int, rows []int32) int {
	return exactTwin(out, q, data, stride, limit, rows)
}

func touch(s []int32) { prefetch(&s[0]) }
