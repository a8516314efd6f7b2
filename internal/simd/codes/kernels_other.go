//go:build !amd64 || noasm

package codes

import "unfold/internal/simd"

// Fast reports whether products of codes are faster than those of float32.
func Fast(simd.Level) bool { return false }

func scan(_ simd.Level, mask []uint64, a *Left, aLeast []int32, b []uint8, bStart, bLeast []int32) {
	scanGeneric(mask, a, aLeast, b, bStart, bLeast)
}

func bounds(_ simd.Level, dst []int32, stride int, a *Left, b []uint8, bStart []int32) {
	boundsGeneric(dst, stride, a, b, bStart)
}
