//go:build amd64 && !noasm

package solve

import (
	"unsafe"

	"unfold/internal/simd"
)

// mulLevel is mul with the given instruction set.
func (m *sliced) mulLevel(level simd.Level, q, p []float32, from, to int, sums *[4 * slice]float32) {
	if level < simd.AVX512 || from >= to {
		m.mul(q, p, from, to, sums)
		return
	}
	slicedMulAVX512(unsafe.SliceData(q), unsafe.SliceData(p), unsafe.SliceData(m.start),
		unsafe.SliceData(m.index), unsafe.SliceData(m.value), from, to, sums)
}

// singleStepLevel is singleStep with the given instruction set; the capacity of weight must exceed
// its length by at least beyond.
func singleStepLevel(level simd.Level, x, r, p, q, weight []float32, factors *[4]float32, sums *[4 * slice]float32) {
	if level < simd.AVX512 || len(weight) == 0 {
		singleStep(x, r, p, q, weight, factors, sums)
		return
	}
	singleStepAVX512(unsafe.SliceData(x), unsafe.SliceData(r), unsafe.SliceData(p), unsafe.SliceData(q),
		unsafe.SliceData(weight), len(weight)/slice, factors, sums)
}
