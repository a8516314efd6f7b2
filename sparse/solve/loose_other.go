//go:build !amd64 || noasm

package solve

import "unfold/internal/simd"

func (s *loose) mul(_ simd.Level, a *Laplacian, from, to int, sums *[4]float32) {
	s.mulPlain(a, from, to, sums)
}

func (s *loose) step(_ simd.Level, factors *[4]float32, from, to int, sums *[4]float32) {
	s.stepPlain(factors, from, to, sums)
}
