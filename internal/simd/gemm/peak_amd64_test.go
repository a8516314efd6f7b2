//go:build amd64 && !noasm

package gemm

import (
	"testing"

	"unfold/internal/simd"
)

// BenchmarkPeak measures the speed of one core for fused operations in registers, the limit of the
// other benchmarks.
func BenchmarkPeak(b *testing.B) {
	const n = 100000
	for _, level := range simd.Levels() {
		kernel, flops := peakAVX512, 2.0*24*8
		switch level {
		case simd.Generic:
			continue
		case simd.AVX2:
			kernel, flops = peakAVX2, 2.0*12*4
		}
		b.Run(level.String(), func(b *testing.B) {
			for b.Loop() {
				kernel(n)
			}
			report(b, flops*n)
		})
	}
}
