//go:build amd64 && !noasm

package tile

import "unfold/internal/simd"

// scan runs the kernel of the level.
func scan(level simd.Level, s *scanned) {
	rows := len(s.aStart)
	panels := len(s.mask) / rows
	one := rows == 1
	switch {
	case level >= simd.AVX512 && one:
		scan1AVX512(&s.mask[0], &s.a[0], &s.aStart[0], &s.aTail[0], &s.aLeast[0],
			&s.b[0], &s.bStart[0], &s.bTail[0], &s.bLeast[0], s.prefix, s.depth-s.prefix, panels)
	case level >= simd.AVX512:
		scan8AVX512(&s.mask[0], &s.a[0], &s.aStart[0], &s.aTail[0], &s.aLeast[0],
			&s.b[0], &s.bStart[0], &s.bTail[0], &s.bLeast[0], s.prefix, s.depth-s.prefix, panels)
	case level >= simd.AVX2 && one:
		scan1AVX2(&s.mask[0], &s.a[0], &s.aStart[0], &s.aTail[0], &s.aLeast[0],
			&s.b[0], &s.bStart[0], &s.bTail[0], &s.bLeast[0], s.prefix, s.depth-s.prefix, panels)
	case level >= simd.AVX2:
		scan8AVX2(&s.mask[0], &s.a[0], &s.aStart[0], &s.aTail[0], &s.aLeast[0],
			&s.b[0], &s.bStart[0], &s.bTail[0], &s.bLeast[0], s.prefix, s.depth-s.prefix, panels)
	default:
		scanGeneric(s)
	}
}

// lowerBounds runs the kernel of the level.
func lowerBounds(level simd.Level, s *boundsJob) {
	panels := len(s.bStart) / Width
	one := len(s.aStart) == 1
	switch {
	case level >= simd.AVX512 && one:
		lowerBounds1AVX512(&s.dst[0], s.stride, &s.a[0], &s.aStart[0], &s.b[0], &s.bStart[0], s.depth, panels)
	case level >= simd.AVX512:
		lowerBounds8AVX512(&s.dst[0], s.stride, &s.a[0], &s.aStart[0], &s.b[0], &s.bStart[0], s.depth, panels)
	case level >= simd.AVX2 && one:
		lowerBounds1AVX2(&s.dst[0], s.stride, &s.a[0], &s.aStart[0], &s.b[0], &s.bStart[0], s.depth, panels)
	case level >= simd.AVX2:
		lowerBounds8AVX2(&s.dst[0], s.stride, &s.a[0], &s.aStart[0], &s.b[0], &s.bStart[0], s.depth, panels)
	default:
		lowerBoundsGeneric(s)
	}
}

// add runs the kernel of the level.
func add(level simd.Level, dst []float64, stride int, a, b []float32, depth int) {
	_ = dst[(Height-1)*stride+Width-1]
	_, _ = a[(depth-1)*Width+Height-1], b[depth*Width-1]
	switch {
	case level >= simd.AVX512:
		addAVX512(&dst[0], stride, &a[0], &b[0], depth)
	case level >= simd.AVX2:
		addAVX2(&dst[0], stride, &a[0], &b[0], depth)
	default:
		addGeneric(dst, stride, a, b, depth)
	}
}

// ordered runs the kernel of the level; rows is tall or short.
func ordered(level simd.Level, sum, a, w []float64, rows, depth int) {
	_, _, _ = sum[rows*lanes-1], a[rows*depth-1], w[lanes*depth-1]
	switch {
	case level >= simd.AVX512 && rows == tall:
		ordered24AVX512(&sum[0], &a[0], &w[0], depth)
	case level >= simd.AVX512:
		ordered4AVX512(&sum[0], &a[0], &w[0], depth)
	case level >= simd.AVX2 && rows == tall:
		ordered24AVX2(&sum[0], &a[0], &w[0], depth)
	case level >= simd.AVX2:
		ordered4AVX2(&sum[0], &a[0], &w[0], depth)
	default:
		orderedGeneric(sum, a, w, rows, depth)
	}
}

// orderedOne runs the kernel of the level for one vector and wide panels of w.
func orderedOne(level simd.Level, sum, a, w []float64, depth, dim int) {
	_, _, _ = sum[wide*lanes-1], a[depth-1], w[((wide-1)*dim+depth)*lanes-1]
	switch {
	case level >= simd.AVX512:
		orderedOneAVX512(&sum[0], &a[0], &w[0], depth, 8*lanes*dim)
	case level >= simd.AVX2:
		orderedOneAVX2(&sum[0], &a[0], &w[0], depth, 8*lanes*dim)
	default:
		orderedOneGeneric(sum, a, w, depth, dim)
	}
}
