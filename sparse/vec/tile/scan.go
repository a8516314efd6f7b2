package tile

import (
	"fmt"

	"unfold/sparse/vec/simd"
)

// Scan compares vectors first, ..., first+Height-1 of a with panels from, ...,
// to-1 of b. With
//
//	q_ij = a.Start[i] + b.Start[j] + a_i b_j
//
// bit c of mask[(p-from)*Height + r] says whether q_ij of i = first+r and
// j = p*Width+c is at least min(aLeast[r], bLeast[(p-from)*Width+c]). The
// upper 16 bits are zero, and so are the bits of vectors beyond a.N and b.N.
// For the error of q see the package comment.
//
// first must be a multiple of Height. It panics if a slice is too short.
func Scan(level simd.Level, mask []uint64, a *Panels, first int, aLeast []float32, b *Panels, from, to int, bLeast []float32) {
	if first%Height != 0 {
		panic(fmt.Sprintf("tile: scan from vector %d, not a multiple of %d", first, Height))
	}
	run(level, Height, mask, a, first, aLeast, b, from, to, bLeast)
}

// ScanRow is Scan for vector i of a alone; any i will do. The bits are in
// mask[p-from].
func ScanRow(level simd.Level, mask []uint64, a *Panels, i int, aLeast float32, b *Panels, from, to int, bLeast []float32) {
	least := [1]float32{aLeast}
	run(level, 1, mask, a, i, least[:], b, from, to, bLeast)
}

func run(level simd.Level, rows int, mask []uint64, a *Panels, first int, aLeast []float32, b *Panels, from, to int, bLeast []float32) {
	count := to - from
	if count <= 0 {
		return
	}
	if a.Dim != b.Dim {
		panic(fmt.Sprintf("tile: dimensions %d and %d", a.Dim, b.Dim))
	}
	size := Width * a.Dim
	s := scanned{
		mask:   mask[:count*rows],
		a:      a.Data[first/Width*size:][:size][first%Width:],
		aStart: a.Start[first:][:rows],
		aLeast: aLeast[:rows],
		b:      b.Data[from*size : to*size],
		bStart: b.Start[from*Width : to*Width],
		bLeast: bLeast[:count*Width],
		depth:  a.Dim,
	}
	scan(level, &s)
}

// scanned is what a kernel reads and writes. a begins with the first of its
// vectors and reaches to the end of their panel.
type scanned struct {
	mask              []uint64
	a, aStart, aLeast []float32
	b, bStart, bLeast []float32
	depth             int
}

// scanGeneric is the plain twin of the scanning kernels.
func scanGeneric(s *scanned) {
	rows := len(s.aStart)
	for p := range len(s.mask) / rows {
		panel := s.b[p*Width*s.depth : (p+1)*Width*s.depth]
		start, least := s.bStart[p*Width:][:Width], s.bLeast[p*Width:][:Width]
		for r := range rows {
			var q [Width]float32
			for c := range q {
				q[c] = s.aStart[r] + start[c]
			}
			multiply(&q, s.a[r:], panel, s.depth)
			var bits uint64
			for c, v := range q {
				if v >= min(s.aLeast[r], least[c]) {
					bits |= 1 << c
				}
			}
			s.mask[p*rows+r] = bits
		}
	}
}
