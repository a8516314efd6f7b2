package codes

import (
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
)

// No kernel reads or writes outside its slices, which end at the end of memory.
func TestKernelsStayInside(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	eachKernel(func(l simd.Level) {
		for _, largest := range []int{31, 63, Largest} {
			for _, dim := range []int{1, 4, 5, 63} {
				for panels := 1; panels <= 3; panels++ {
					inside(t, l, rng, largest, dim, panels)
				}
			}
		}
	})
}

// inside compares a kernel with plain Go for some panels.
func inside(t *testing.T, l simd.Level, rng *rand.Rand, largest, dim, panels int) {
	n := panels * Width
	p := &Panels{N: n, Dim: dim, Largest: largest, start: simdtest.AtEnd[int32](t, n), left: make([]int32, n)}
	p.data = simdtest.AtEnd[uint8](t, panels*p.size())
	a := &Left{dim: dim, largest: largest, data: simdtest.AtEnd[uint8](t, groups(dim)*group*Height)}
	for i, c := range draw(rng, n, dim, largest) {
		p.Set(i, c)
	}
	a.Take(l, p, n-Height)
	mask, dst := simdtest.AtEnd[uint64](t, panels*Height), simdtest.AtEnd[int32](t, Height*n)
	aLeast, bLeast := simdtest.AtEnd[int32](t, Height), simdtest.AtEnd[int32](t, n)
	for c := range bLeast {
		bLeast[c] = -half(make([]int8, dim), slices.Repeat([]int8{int8(largest * 3 / 4)}, dim))
	}
	wantMask, wantDst := make([]uint64, len(mask)), make([]int32, len(dst))
	scanGeneric(wantMask, a, aLeast, p.data, p.start, bLeast)
	boundsGeneric(wantDst, n, a, p.data, p.start)
	Scan(l, mask, a, aLeast, p, 0, panels, bLeast)
	Bounds(l, dst, n, a, p, 0, panels)
	if !slices.Equal(mask, wantMask) || !slices.Equal(dst, wantDst) {
		t.Fatalf("%v: dimension %d, codes up to %d, %d panels: other results than in plain Go", l, dim, largest, panels)
	}
}
