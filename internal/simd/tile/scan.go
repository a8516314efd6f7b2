package tile

import (
	"fmt"

	"unfold/internal/simd"
)

// Scan compares vectors first, ..., first+Height-1 of a with panels from, ..., to-1 of b. Let
//
//	q_ij = a.Start[i] + b.Start[j] + a_i b_j
//
// Bit c of mask[(p-from)*Height + r] is set if q_ij, for i = first+r and j = p*Width+c, is at least
// min(aLeast[r], bLeast[(p-from)*Width+c]). The upper 16 bits are zero, and so are the bits of
// vectors beyond a.N and b.N. The package comment has the error of q. If the panels have a prefix,
// the kernels skip the rest of a block of pairs as soon as the prefix shows that no pair of it
// reaches its threshold, because
//
//	a_i b_j <= sum of the prefix + a.Tail[i] + b.Tail[j]
//
// The error is no larger than without a prefix.
//
// first must be a multiple of Height. It panics if a slice is too short.
func Scan(level simd.Level, mask []uint64, a *Panels, first int, aLeast []float32, b *Panels, from, to int, bLeast []float32) {
	if first%Height != 0 {
		panic(fmt.Sprintf("tile: scan from vector %d, not a multiple of %d", first, Height))
	}
	run(level, Height, mask, a, first, aLeast, b, from, to, bLeast)
}

// ScanRow is Scan for the single vector i of a; i may be any vector. The bits are in mask[p-from].
func ScanRow(level simd.Level, mask []uint64, a *Panels, i int, aLeast float32, b *Panels, from, to int, bLeast []float32) {
	least := [1]float32{aLeast}
	run(level, 1, mask, a, i, least[:], b, from, to, bLeast)
}

func run(level simd.Level, rows int, mask []uint64, a *Panels, first int, aLeast []float32, b *Panels, from, to int, bLeast []float32) {
	count := to - from
	if count <= 0 {
		return
	}
	if a.Dim != b.Dim || a.Prefix != b.Prefix {
		panic(fmt.Sprintf("tile: dimensions %d and %d, prefixes %d and %d", a.Dim, b.Dim, a.Prefix, b.Prefix))
	}
	size := Width * a.Dim
	s := scanned{
		mask:   mask[:count*rows],
		a:      a.Data[first/Width*size:][:size][first%Width:],
		aStart: a.Start[first:][:rows],
		aTail:  a.Tail[first:][:rows],
		aLeast: aLeast[:rows],
		b:      b.Data[from*size : to*size],
		bStart: b.Start[from*Width : to*Width],
		bTail:  b.Tail[from*Width : to*Width],
		bLeast: bLeast[:count*Width],
		prefix: a.Prefix,
		depth:  a.Dim,
	}
	scan(level, &s)
}

// scanned has the input and output of a scanning kernel. a begins with the first of its vectors and
// ends with their panel.
type scanned struct {
	mask                     []uint64
	a, aStart, aTail, aLeast []float32
	b, bStart, bTail, bLeast []float32
	prefix, depth            int
}

// scanGeneric is the plain twin of the scanning kernels.
func scanGeneric(s *scanned) {
	rows := len(s.aStart)
	for t := range s.mask {
		p, r := t/rows, t%rows
		panel, at := s.b[p*Width*s.depth:][:Width*s.depth], p*Width
		var q [Width]float32
		for c, start := range s.bStart[at:][:Width] {
			q[c] = s.aStart[r] + start
		}
		s.mask[t] = 0
		if s.prefix > 0 {
			multiply(&q, s.a[r:], panel, s.prefix)
			if s.reach(&q, r, at, s.bTail, s.aTail[r]) == 0 {
				continue
			}
		}
		multiply(&q, s.a[s.prefix*Width+r:], panel[s.prefix*Width:], s.depth-s.prefix)
		s.mask[t] = s.reach(&q, r, at, nil, 0)
	}
}

// reach returns a bit for each sum of vector r that reaches its threshold, with the tails added if
// bTail is not nil. at is the position of the panel in bLeast and bTail.
func (s *scanned) reach(q *[Width]float32, r, at int, bTail []float32, aTail float32) (bits uint64) {
	for c, v := range q {
		if bTail != nil {
			v = v + bTail[at+c] + aTail
		}
		if v >= min(s.aLeast[r], s.bLeast[at+c]) {
			bits |= 1 << c
		}
	}
	return bits
}
