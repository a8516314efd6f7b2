//go:build !amd64 || noasm

package codes

import "unfold/internal/simd"

// Fast lists the ranges of codes whose products are faster than those of float32: none.
func Fast(simd.Level) []Range { return nil }

func scan(_ simd.Level, mask []uint64, a *Left, aLeast []int32, b []uint8, bStart, bLeast []int32) {
	scanGeneric(mask, a, aLeast, b, bStart, bLeast)
}

func bounds(_ simd.Level, dst []int32, stride int, a *Left, b []uint8, bStart []int32) {
	boundsGeneric(dst, stride, a, b, bStart)
}

func take(_ simd.Level, to, from []uint8, zero int) { takeGeneric(to, from, zero) }
