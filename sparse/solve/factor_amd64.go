//go:build amd64 && !noasm

package solve

import (
	"unsafe"

	"unfold/internal/simd"
)

// forwardLevel is forwardGeneric with the given instruction set. It gives the same bits, because
// products are not fused into sums.
func (f *Factor) forwardLevel(level simd.Level, y []float64) {
	if level < simd.AVX2 || f.n == 0 {
		f.forwardGeneric(y)
		return
	}
	forwardAVX2(f.n, &f.start[0], unsafe.SliceData(f.to), unsafe.SliceData(f.below), &y[0])
}

// backwardLevel is backwardGeneric with the given instruction set. It gives the same bits.
func (f *Factor) backwardLevel(level simd.Level, z0, z1, y []float64) {
	if level < simd.AVX2 || f.n == 0 {
		f.backwardGeneric(z0, z1, y)
		return
	}
	backwardAVX2(f.n, &f.start[0], unsafe.SliceData(f.to), unsafe.SliceData(f.below), &y[0], &f.pivot[0], &f.order[0], &z0[0], &z1[0])
}
