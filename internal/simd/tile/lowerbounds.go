package tile

import (
	"fmt"
	"math"

	"unfold/internal/simd"
)

// LowerBounds computes lower bounds for vectors first, ..., first+Height-1 of a and all vectors of
// panels from, ..., to-1 of b. It writes to dst[r*stride + (p-from)*Width + c], for i = first+r and
// j = p*Width+c, the bits of
//
//	max(0, -(a.Start[i] + b.Start[j] + a_i b_j))
//
// as float32, and 0 instead of NaN. As integers such bits are ordered as the bounds are. The
// padding of the last panel has +Inf and comes last. The package comment has the error; the prefix
// is ignored.
//
// first must be a multiple of Height. It panics if a slice is too short.
func LowerBounds(level simd.Level, dst []int32, stride int, a *Panels, first int, b *Panels, from, to int) {
	if first%Height != 0 {
		panic(fmt.Sprintf("tile: lower bounds from vector %d, not a multiple of %d", first, Height))
	}
	allLowerBounds(level, Height, dst, stride, a, first, b, from, to)
}

// LowerBoundsRow is LowerBounds for the single vector i of a; i may be any vector.
func LowerBoundsRow(level simd.Level, dst []int32, a *Panels, i int, b *Panels, from, to int) {
	allLowerBounds(level, 1, dst, 0, a, i, b, from, to)
}

func allLowerBounds(level simd.Level, rows int, dst []int32, stride int, a *Panels, first int, b *Panels, from, to int) {
	count := to - from
	if count <= 0 {
		return
	}
	if a.Dim != b.Dim || rows > 1 && stride < count*Width {
		panic(fmt.Sprintf("tile: dimensions %d and %d, lines of %d for %d panels", a.Dim, b.Dim, stride, count))
	}
	size := Width * a.Dim
	lowerBounds(level, &boundsJob{
		dst:    dst[:(rows-1)*stride+count*Width],
		stride: stride,
		a:      a.Data[first/Width*size:][:size][first%Width:],
		aStart: a.Start[first:][:rows],
		b:      b.Data[from*size : to*size],
		bStart: b.Start[from*Width : to*Width],
		depth:  a.Dim,
	})
}

// boundsJob has the input and output of a kernel for lower bounds. a begins with the first of its
// vectors and ends with their panel.
type boundsJob struct {
	dst                  []int32
	stride               int
	a, aStart, b, bStart []float32
	depth                int
}

// lowerBoundsGeneric is the plain twin of the kernel for lower bounds.
func lowerBoundsGeneric(s *boundsJob) {
	for r, aStart := range s.aStart {
		for at := 0; at < len(s.bStart); at += Width {
			var q [Width]float32
			for c, start := range s.bStart[at:][:Width] {
				q[c] = aStart + start
			}
			multiply(&q, s.a[r:], s.b[at*s.depth:][:Width*s.depth], s.depth)
			line := s.dst[r*s.stride+at:][:Width]
			for c, v := range q {
				line[c] = 0
				if v < 0 {
					line[c] = int32(math.Float32bits(-v))
				}
			}
		}
	}
}
