//go:build amd64 && !noasm

package sq8

import "unfold/internal/simd"

// eachKernel calls f for every level, and for AVX-512 without VNNI too.
func eachKernel(f func(l simd.Level)) {
	for _, l := range simd.Levels() {
		f(l)
	}
	if vnni && simd.Best() == simd.AVX512 {
		vnni = false
		defer func() { vnni = true }()
		f(simd.AVX512)
	}
}
