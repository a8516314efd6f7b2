//go:build amd64 && !noasm

package solve

import (
	"unsafe"

	"unfold/internal/simd"
)

// mul is mulPlain at a level of instructions.
func (s *loose) mul(level simd.Level, a *Laplacian, from, to int, sums *[4]float32) {
	if level < simd.AVX2 || from >= to {
		s.mulPlain(a, from, to, sums)
		return
	}
	mulLooseAVX2(&s.q[0], &s.p[0], &s.diagonal[0], &a.W.Start[0], unsafe.SliceData(a.W.Index), unsafe.SliceData(a.Single), from, to, sums)
}

// step is stepPlain at a level of instructions.
func (s *loose) step(level simd.Level, factors *[4]float32, from, to int, sums *[4]float32) {
	fours := (to - from) / 4
	if level < simd.AVX2 || fours == 0 {
		s.stepPlain(factors, from, to, sums)
		return
	}
	stepLooseAVX2(&s.y[from], &s.r[from], &s.p[from], &s.q[from], &s.diagonal[from], fours, factors, sums)
	if last := from + 4*fours; last < to {
		var rest [4]float32
		s.stepPlain(factors, last, to, &rest)
		for k, v := range rest {
			sums[k] += v
		}
	}
}
