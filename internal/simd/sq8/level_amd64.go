//go:build amd64 && !noasm

package sq8

import (
	"golang.org/x/sys/cpu"

	"unfold/internal/simd"
)

// vnni reports whether the processor has VPDPBUSD, an extension younger than the rest of AVX-512.
var vnni = cpu.X86.HasAVX512VNNI

// scores requires at least one panel and valid arguments.
func scores(l simd.Level, out []int32, q *Query, data []uint8, norm []int32, n int) {
	switch {
	case l == simd.AVX512 && vnni:
		scoresDotAVX512(&out[0], &q.code[0], len(q.code)/group, &data[0], &norm[0], n)
	case l == simd.AVX512:
		scoresAVX512(&out[0], &q.code[0], &q.runs[0], len(q.code)/group, &data[0], &norm[0], n)
	case l == simd.AVX2:
		scoresAVX2(&out[0], &q.code[0], &q.runs[0], len(q.code)/group, &data[0], &norm[0], n)
	default:
		scoresTwin(out, q.code, data, norm, n)
	}
}

// round takes columns by eights, and the rest in plain Go.
func round(l simd.Level, code []int8, x, center []float32, reach []uint8, per float32) (widest uint32, sum int32) {
	done := 0
	if eights := len(x) / 8; l >= simd.AVX2 && eights > 0 {
		done = 8 * eights
		widest, sum = roundAVX2(&code[0], &x[0], &center[0], &reach[0], per, eights)
	}
	more, rest := roundTwin(code[done:], x[done:], center[done:], reach[done:], per)
	return max(widest, more), sum + rest
}

// runs appends the runs of a code; to must have room for one for each group, if it is not nil.
func runs(l simd.Level, to []uint8, code []int8, reach []uint8) []uint8 {
	if groups := len(code) / group; l >= simd.AVX2 && cap(to)-len(to) >= groups {
		all := to[:len(to)+groups]
		return all[:len(to)+runsAVX2(&all[len(to)], &code[0], &reach[0], groups)]
	}
	return runsTwin(to, code, reach)
}
