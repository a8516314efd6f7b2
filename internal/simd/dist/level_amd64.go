//go:build amd64 && !noasm

package dist

import (
	"unsafe"

	"unfold/internal/simd"
)

// pair requires at least one element, and as many in b as in a.
func pair(l simd.Level, a, b []float32) float32 {
	switch l {
	case simd.AVX512:
		return pairAVX512(&a[0], &b[0], len(a))
	case simd.AVX2:
		return pairAVX2(&a[0], &b[0], len(a))
	}
	return pairTwin(a, b)
}

// several returns 0, or the number of remaining rows when a row is not below limit. It requires at
// least one row and as many elements in out.
func several(l simd.Level, m measure, out, q, data []float32, stride, limit int, rows []int32) int {
	pq, pd := unsafe.SliceData(q), unsafe.SliceData(data)
	switch {
	case l == simd.AVX512 && m == squared:
		return rowsAVX512(&out[0], pq, len(q), pd, 4*stride, limit, &rows[0], len(rows))
	case l == simd.AVX512 && m == manhattan:
		return manhattanAVX512(&out[0], pq, len(q), pd, 4*stride, limit, &rows[0], len(rows))
	case l == simd.AVX512 && m == canberra:
		return canberraAVX512(&out[0], pq, len(q), pd, 4*stride, limit, &rows[0], len(rows))
	case l == simd.AVX512 && m == chebyshev:
		return chebyshevAVX512(&out[0], pq, len(q), pd, 4*stride, limit, &rows[0], len(rows))
	case l == simd.AVX2 && m == squared:
		return rowsAVX2(&out[0], pq, len(q), pd, 4*stride, limit, &rows[0], len(rows))
	case l == simd.AVX2 && m == manhattan:
		return manhattanAVX2(&out[0], pq, len(q), pd, 4*stride, limit, &rows[0], len(rows))
	case l == simd.AVX2 && m == canberra:
		return canberraAVX2(&out[0], pq, len(q), pd, 4*stride, limit, &rows[0], len(rows))
	case l == simd.AVX2 && m == chebyshev:
		return chebyshevAVX2(&out[0], pq, len(q), pd, 4*stride, limit, &rows[0], len(rows))
	}
	return rowsTwin(m, out, q, data, stride, limit, rows)
}

// doubles reports whether there is a kernel, which has then joined the given number of groups of 16
// elements to lanes.
func doubles(l simd.Level, m measure, lanes *[4]float64, a, b []float32, groups int) bool {
	switch {
	case l != simd.AVX2 && l != simd.AVX512:
		return false
	case m == manhattan:
		addAbsoluteAVX2(&lanes[0], &a[0], &b[0], groups)
	default:
		maxAbsoluteAVX2(&lanes[0], &a[0], &b[0], groups)
	}
	return true
}

// exactly is several in double precision, with the bits of vec.SquaredDistance.
func exactly(l simd.Level, out []float64, q, data []float32, stride, limit int, rows []int32) int {
	if l >= simd.AVX2 {
		pq, pd := unsafe.SliceData(q), unsafe.SliceData(data)
		left := len(rows)
		if left >= 8 {
			left = eightAVX2(&out[0], pq, len(q), pd, 4*stride, limit, &rows[0], left)
		}
		if left == 0 || left >= 8 {
			return left
		}
		done := len(rows) - left
		return exactAVX2(&out[done], pq, len(q), pd, 4*stride, limit, &rows[done], left)
	}
	return exactTwin(out, q, data, stride, limit, rows)
}

func touch(s []int32) { prefetch(&s[0]) }
