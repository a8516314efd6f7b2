//go:build !amd64 || noasm

package sq8

import "unfold/internal/simd"

// eachKernel calls f for every level.
func eachKernel(f func(l simd.Level)) {
	for _, l := range simd.Levels() {
		f(l)
	}
}
