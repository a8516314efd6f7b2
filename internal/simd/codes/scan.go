package codes

import (
	"fmt"

	"unfold/internal/simd"
)

//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./amd64/codes -out ../simd/codes/kernels_amd64.s -stubs ../simd/codes/stubs_amd64.go -pkg codes

// Scan compares the vectors of a with panels from, ..., to-1 of b. Bit c of mask[(p-from)*Height+r]
// is set if q_ij, for vector r of a and j = p*Width+c, is at least
// min(aLeast[r], bLeast[(p-from)*Width+c]). Thresholds must not be below Lowest. The upper 16 bits
// are zero, and so are the bits of vectors beyond b.N. It panics if a slice is too short.
func Scan(level simd.Level, mask []uint64, a *Left, aLeast []int32, b *Panels, from, to int, bLeast []int32) {
	count := check(a, b, from, to)
	if count == 0 {
		return
	}
	scan(level, mask[:count*Height], a, aLeast[:Height], b.data[from*b.size():to*b.size()], b.start[from*Width:to*Width], bLeast[:count*Width])
}

// Bounds writes max(0, -q_ij) to dst[r*stride + (p-from)*Width + c], for vector r of a and j =
// p*Width+c of panels from, ..., to-1 of b. Padding has at least -2*Lowest. It panics if a slice is
// too short.
func Bounds(level simd.Level, dst []int32, stride int, a *Left, b *Panels, from, to int) {
	count := check(a, b, from, to)
	if count == 0 {
		return
	}
	if stride < count*Width {
		panic(fmt.Sprintf("codes: lines of %d for %d panels", stride, count))
	}
	bounds(level, dst[:(Height-1)*stride+count*Width], stride, a, b.data[from*b.size():to*b.size()], b.start[from*Width:to*Width])
}

// check returns the number of panels, and panics if the sides have different dimensions.
func check(a *Left, b *Panels, from, to int) int {
	if !a.matches(b) || from > to {
		panic(fmt.Sprintf("codes: dimensions %d and %d, codes up to %d and %d, panels %d to %d", a.dim, b.Dim, a.largest, b.Largest, from, to))
	}
	return to - from
}

// products returns q of vector r of a and the vectors of a panel.
func (l *Left) products(r int, panel []uint8, start []int32) (q [Width]int32) {
	for c, s := range start[:Width] {
		q[c] = l.start[r] + s
	}
	for g := range groups(l.dim) {
		x := (*[group]uint8)(l.data[g*group*Height+r*group:])
		y := (*[group * Width]uint8)(panel[g*group*Width:])
		for c := range q {
			for k, v := range x {
				q[c] += int32(int8(v)) * int32(y[c*group+k])
			}
		}
	}
	return q
}

// scanGeneric is the plain twin of the kernel of Scan.
func scanGeneric(mask []uint64, a *Left, aLeast []int32, b []uint8, bStart, bLeast []int32) {
	size := len(b) / (len(bStart) / Width)
	for t := range mask {
		p, r := t/Height, t%Height
		mask[t] = 0
		for c, q := range a.products(r, b[p*size:][:size], bStart[p*Width:]) {
			if q >= min(aLeast[r], bLeast[p*Width+c]) {
				mask[t] |= 1 << c
			}
		}
	}
}

// boundsGeneric is the plain twin of the kernel of Bounds.
func boundsGeneric(dst []int32, stride int, a *Left, b []uint8, bStart []int32) {
	size := len(b) / (len(bStart) / Width)
	for r := range Height {
		for p := range len(bStart) / Width {
			for c, q := range a.products(r, b[p*size:][:size], bStart[p*Width:]) {
				dst[r*stride+p*Width+c] = max(0, -q)
			}
		}
	}
}
