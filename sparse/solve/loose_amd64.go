//go:build amd64 && !noasm

package solve

import (
	"unsafe"

	"unfold/internal/simd"
)

// mul is mulPlain with the current instruction set.
func (s *loose) mul(a *Laplacian, from, to int, sums *looseSums) {
	if s.level < simd.AVX2 || from >= to {
		s.mulPlain(a, from, to, sums)
		return
	}
	index, value := unsafe.SliceData(a.W.Index), unsafe.SliceData(a.Single)
	if s.width() == 2 {
		mulLoose2AVX2(&s.q.Data[0], &s.p.Data[0], &s.diagonal[0], &a.W.Start[0], index, value, from, to, (*[8]float32)(sums))
		return
	}
	mulLoose4AVX2(&s.q.Data[0], &s.p.Data[0], &s.diagonal[0], &a.W.Start[0], index, value, from, to, (*[8]float32)(sums))
}

// step is stepPlain with the current instruction set.
func (s *loose) step(factors *looseFactors, from, to int, sums *looseSums) {
	fours := (to - from) / 4
	if s.level < simd.AVX2 || fours == 0 {
		s.stepPlain(factors, from, to, sums)
		return
	}
	y, r, p, q := &s.y.Row(from)[0], &s.r.Row(from)[0], &s.p.Row(from)[0], &s.q.Row(from)[0]
	if s.width() == 2 {
		stepLoose2AVX2(y, r, p, q, &s.diagonal[from], fours, (*[8]float32)(factors), (*[8]float32)(sums))
	} else {
		stepLoose4AVX2(y, r, p, q, &s.diagonal[from], fours, (*[8]float32)(factors), (*[8]float32)(sums))
	}
	if last := from + 4*fours; last < to {
		var rest looseSums
		s.stepPlain(factors, last, to, &rest)
		for k, v := range rest {
			sums[k] += v
		}
	}
}
