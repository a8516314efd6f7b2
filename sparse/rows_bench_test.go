package sparse

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/james-bowman/sparse/blas"
	"gonum.org/v1/gonum/floats"
)

// BenchmarkGram compares A'A X for 32 vectors by the products of james-bowman/sparse, vector by vector,
// with those by blocks of vectors that the truncated SVD uses: docs/dependencies.md.
func BenchmarkGram(b *testing.B) {
	const n, width = 20_000, 32
	for _, c := range []struct{ m, each int }{{2000, 20}, {20_000, 50}, {100_000, 100}} {
		rng := rand.New(rand.NewPCG(1, 1))
		var i, j []int32
		var w []float64
		for row := range n {
			for range c.each {
				i, j, w = append(i, int32(row)), append(j, int32(rng.IntN(c.m))), append(w, 1)
			}
		}
		a := RowsFromTriplets(n, c.m, i, j, w)
		x, y, sum := make([]float64, c.m*width), make([]float64, c.m*width), make([]float64, width)
		b.Run(fmt.Sprintf("columns=%d/vectors", c.m), func(b *testing.B) {
			for b.Loop() {
				for i := range n {
					index, data := a.Row(i)
					for v := range width {
						blas.Dusaxpy(blas.Dusdot(data, index, x[v*c.m:][:c.m], 1), data, index, y[v*c.m:][:c.m], 1)
					}
				}
			}
		})
		b.Run(fmt.Sprintf("columns=%d/blocks", c.m), func(b *testing.B) {
			for b.Loop() {
				for i := range n {
					index, data := a.Row(i)
					clear(sum)
					for p, j := range index {
						floats.AddScaled(sum, data[p], x[j*width:][:width])
					}
					for p, j := range index {
						floats.AddScaled(y[j*width:][:width], data[p], sum)
					}
				}
			}
		})
	}
}
