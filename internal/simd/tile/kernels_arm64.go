//go:build arm64 && !noasm

package tile

import "unfold/internal/simd"

// scan runs the kernel of the level.
func scan(level simd.Level, s *scanned) {
	rows := len(s.aStart)
	panels := len(s.mask) / rows
	switch {
	case level != simd.NEON:
		scanGeneric(s)
	case rows == 1:
		scan1NEON(&s.mask[0], &s.a[0], &s.aStart[0], &s.aTail[0], &s.aLeast[0],
			&s.b[0], &s.bStart[0], &s.bTail[0], &s.bLeast[0], s.prefix, s.depth-s.prefix, panels)
	default:
		scan8NEON(&s.mask[0], &s.a[0], &s.aStart[0], &s.aTail[0], &s.aLeast[0],
			&s.b[0], &s.bStart[0], &s.bTail[0], &s.bLeast[0], s.prefix, s.depth-s.prefix, panels)
	}
}

// lowerBounds runs the kernel of the level.
func lowerBounds(level simd.Level, s *boundsJob) {
	panels := len(s.bStart) / Width
	switch {
	case level != simd.NEON:
		lowerBoundsGeneric(s)
	case len(s.aStart) == 1:
		lowerBounds1NEON(&s.dst[0], s.stride, &s.a[0], &s.aStart[0], &s.b[0], &s.bStart[0], s.depth, panels)
	default:
		lowerBounds8NEON(&s.dst[0], s.stride, &s.a[0], &s.aStart[0], &s.b[0], &s.bStart[0], s.depth, panels)
	}
}

// add runs the kernel of the level.
func add(level simd.Level, dst []float64, stride int, a, b []float32, depth int) {
	_ = dst[(Height-1)*stride+Width-1]
	_, _ = a[(depth-1)*Width+Height-1], b[depth*Width-1]
	if level != simd.NEON {
		addGeneric(dst, stride, a, b, depth)
		return
	}
	addNEON(&dst[0], stride, &a[0], &b[0], depth)
}

// ordered runs the kernel of the level; rows is tall or short.
func ordered(level simd.Level, sum, a, w []float64, rows, depth int) {
	_, _, _ = sum[rows*lanes-1], a[rows*depth-1], w[lanes*depth-1]
	switch {
	case level != simd.NEON:
		orderedGeneric(sum, a, w, rows, depth)
	case rows == tall:
		ordered24NEON(&sum[0], &a[0], &w[0], depth)
	default:
		ordered4NEON(&sum[0], &a[0], &w[0], depth)
	}
}

// orderedOne runs the kernel of the level for one vector and wide panels of w.
func orderedOne(level simd.Level, sum, a, w []float64, depth, dim int) {
	_, _, _ = sum[wide*lanes-1], a[depth-1], w[((wide-1)*dim+depth)*lanes-1]
	if level != simd.NEON {
		orderedOneGeneric(sum, a, w, depth, dim)
		return
	}
	orderedOneNEON(&sum[0], &a[0], &w[0], depth, 8*lanes*dim)
}
