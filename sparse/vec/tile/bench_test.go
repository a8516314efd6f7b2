package tile

import (
	"math/rand/v2"
	"testing"

	"unfold/sparse/vec/simd"
)

func random(n, dim int) *Panels {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	p := NewPanels(n, dim)
	z := make([]float32, dim)
	for i := range n {
		var norm float64
		for k := range z {
			z[k] = float32(rng.NormFloat64())
			norm += float64(z[k]) * float64(z[k])
		}
		p.Set(i, z, float32(-norm/2))
	}
	return p
}

// report adds the metric GFLOP/s of operations flops an iteration.
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

// One core: 480 vectors against 960, as a neighbour search takes them. Compare
// with BenchmarkPeak.
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
