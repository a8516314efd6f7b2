//go:build amd64 && !noasm

package codes

import (
	"golang.org/x/sys/cpu"

	"unfold/internal/simd"
)

// vnni reports whether the processor has VPDPBUSD, an extension younger than the rest of AVX-512.
var vnni = cpu.X86.HasAVX512VNNI

// Fast reports whether products of codes are faster than those of float32.
func Fast(level simd.Level) bool { return level >= simd.AVX512 && vnni }

// scan runs the kernel of the level.
func scan(level simd.Level, mask []uint64, a *Left, aLeast []int32, b []uint8, bStart, bLeast []int32) {
	if !Fast(level) {
		scanGeneric(mask, a, aLeast, b, bStart, bLeast)
		return
	}
	scanAVX512(&mask[0], &a.data[0], &a.start[0], &aLeast[0], &b[0], &bStart[0], &bLeast[0], groups(a.dim), len(bStart)/Width)
}

// bounds runs the kernel of the level.
func bounds(level simd.Level, dst []int32, stride int, a *Left, b []uint8, bStart []int32) {
	if !Fast(level) {
		boundsGeneric(dst, stride, a, b, bStart)
		return
	}
	boundsAVX512(&dst[0], stride, &a.data[0], &a.start[0], &b[0], &bStart[0], groups(a.dim), len(bStart)/Width)
}
