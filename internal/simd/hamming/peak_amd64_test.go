//go:build amd64 && !noasm

package hamming

import "testing"

// BenchmarkPeak measures the speed of one core for counting ones in registers, the limit of
// BenchmarkWithin.
func BenchmarkPeak(b *testing.B) {
	const n, words = 10_000, 8 * 8 // of 64 bits
	if !counts {
		b.Skip("this processor does not count the ones of 512 bits")
	}
	b.SetBytes(n * words * 8)
	for b.Loop() {
		peakAVX512(n)
	}
}
