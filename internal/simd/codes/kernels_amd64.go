//go:build amd64 && !noasm

package codes

import (
	"golang.org/x/sys/cpu"

	"unfold/internal/simd"
)

// vnni reports whether the processor has VPDPBUSD, an extension younger than the rest of AVX-512.
var vnni = cpu.X86.HasAVX512VNNI

// dot and narrow are the ranges for kernels with VPDPBUSD and without. Times were measured at 768
// elements (BenchmarkScan of this package and of tile).
var (
	dot    = []Range{{Largest, 0.2}}
	narrow = []Range{{31, 0.27}, {45, 0.29}, {63, 0.36}}
)

// Fast lists the ranges of codes whose products are faster than those of float32, from the fastest
// on.
func Fast(level simd.Level) []Range {
	switch {
	case level >= simd.AVX512 && vnni:
		return dot
	case level >= simd.AVX2:
		return narrow
	}
	return nil
}

// scan runs the kernel of the level.
func scan(level simd.Level, mask []uint64, a *Left, aLeast []int32, b []uint8, bStart, bLeast []int32) {
	panels, pairs, run := len(bStart)/Width, groups(a.dim)/pair, run(a.largest)
	switch {
	case level >= simd.AVX512 && vnni:
		scanDotAVX512(&mask[0], &a.data[0], &a.start[0], &aLeast[0], &b[0], &bStart[0], &bLeast[0], groups(a.dim), panels)
	case level >= simd.AVX512 && run > 0:
		scanAVX512(&mask[0], &a.data[0], &a.start[0], &aLeast[0], &b[0], &bStart[0], &bLeast[0], pairs, run, panels)
	case level >= simd.AVX2 && run > 0:
		scanAVX2(&mask[0], &a.data[0], &a.start[0], &aLeast[0], &b[0], &bStart[0], &bLeast[0], pairs, run, panels)
	default:
		scanGeneric(mask, a, aLeast, b, bStart, bLeast)
	}
}

// bounds runs the kernel of the level.
func bounds(level simd.Level, dst []int32, stride int, a *Left, b []uint8, bStart []int32) {
	panels, pairs, run := len(bStart)/Width, groups(a.dim)/pair, run(a.largest)
	switch {
	case level >= simd.AVX512 && vnni:
		boundsDotAVX512(&dst[0], stride, &a.data[0], &a.start[0], &b[0], &bStart[0], groups(a.dim), panels)
	case level >= simd.AVX512 && run > 0:
		boundsAVX512(&dst[0], stride, &a.data[0], &a.start[0], &b[0], &bStart[0], pairs, run, panels)
	case level >= simd.AVX2 && run > 0:
		boundsAVX2(&dst[0], stride, &a.data[0], &a.start[0], &b[0], &bStart[0], pairs, run, panels)
	default:
		boundsGeneric(dst, stride, a, b, bStart)
	}
}

// take runs the kernel of the level. from ends with the panel.
func take(level simd.Level, to, from []uint8, zero int) {
	if level < simd.AVX2 {
		takeGeneric(to, from, zero)
		return
	}
	takeAVX2(&to[0], &from[0], zero, len(to)/(pair*group*Height))
}

// run returns the number of pairs of groups whose products fit in sums of 16 bits: two for each
// group, of a byte up to 2 largest with one up to largest. It is 0 for codes that are too large.
func run(largest int) int { return (1<<15 - 1) / (pair * 2 * 2 * largest * largest) }
