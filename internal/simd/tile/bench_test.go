package tile

import (
	"math/rand/v2"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/vec"
)

// normal returns a matrix of independent normal numbers.
func normal(n, m int) vec.Matrix[float32] {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	x := vec.New[float32](n, m)
	for k := range x.Data {
		x.Data[k] = float32(rng.NormFloat64())
	}
	return x
}

// random returns panels of normal vectors with the starts of a neighbour search.
func random(n, dim int) *Panels {
	x, p := normal(n, dim), NewPanels(n, dim, 0)
	for i := range n {
		p.Set(i, x.Row(i), float32(-vec.SquaredNorm(x.Row(i))/2), 0)
	}
	return p
}

// report adds the metric GFLOP/s, for flops operations an iteration.
func report(b *testing.B, flops float64) {
	b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

func constant(n int, v float32) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// BenchmarkScan measures 480 vectors with 960 on one core, as in a neighbour search. Compare with
// BenchmarkPeak.
func BenchmarkScan(b *testing.B) {
	for _, level := range simd.Levels() {
		b.Run(level.String(), func(b *testing.B) {
			const n, m, dim = 480, 960, 50
			rows, cols := random(n, dim), random(m, dim)
			mask := make([]uint64, cols.Count()*Height)
			least := constant(m, 0)
			for b.Loop() {
				for i := 0; i < n; i += Height {
					Scan(level, mask, rows, i, least, cols, 0, cols.Count(), least)
				}
			}
			report(b, 2*n*m*dim)
		})
	}
}

// One vector against 60000 of dimension 50, on one core.
func BenchmarkScanRow(b *testing.B) {
	for _, level := range simd.Levels() {
		b.Run(level.String(), func(b *testing.B) {
			const m, dim = 60000, 50
			rows, cols := random(1, dim), random(m, dim)
			mask := make([]uint64, cols.Count())
			least := constant(m, 0)
			for b.Loop() {
				ScanRow(level, mask, rows, 0, 0, cols, 0, cols.Count(), least)
			}
			report(b, 2*m*dim)
			b.SetBytes(4 * m * dim)
		})
	}
}

// The covariance of 28 x 28 pictures: 10000 x 784 on one core.
func BenchmarkGram(b *testing.B) {
	for _, level := range simd.Levels() {
		b.Run(level.String(), func(b *testing.B) {
			const n, m = 10000, 784
			x := normal(n, m)
			c := make([]float64, m)
			for b.Loop() {
				gramAt(level, x, c, 1)
			}
			report(b, n*m*(m+1))
		})
	}
}
