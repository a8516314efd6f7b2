// Package synthetic makes data of any size for the measuring commands.
package synthetic

import (
	"math"
	"math/rand/v2"

	"unfold/internal/vec"
)

// Sheets returns n rows of 100 clusters on curved sheets. A row is the cluster's centre plus sines
// of three uniform numbers along random directions plus noise.
func Sheets(n, dim int) vec.Matrix[float32] {
	const clusters, inner, waves = 100, 3, 6
	rng := rand.New(rand.NewPCG(3, uint64(dim)))
	centers := vec.New[float64](clusters, dim)
	directions := vec.New[float64](clusters*waves, dim)
	frequency := vec.New[float64](clusters*waves, inner)
	for _, m := range []vec.Matrix[float64]{centers, directions, frequency} {
		for i := range m.Data {
			m.Data[i] = rng.NormFloat64()
		}
	}
	x := vec.New[float32](n, dim)
	row, u := make([]float64, dim), make([]float64, inner)
	for i := range n {
		c := rng.IntN(clusters)
		for k := range u {
			u[k] = 2 * rng.Float64()
		}
		for k, v := range centers.Row(c) {
			row[k] = v + .05*rng.NormFloat64()
		}
		for w := c * waves; w < (c+1)*waves; w++ {
			phase := 0.
			for k, f := range frequency.Row(w) {
				phase += f * u[k]
			}
			for k, v := range directions.Row(w) {
				row[k] += .3 * v * math.Sin(phase)
			}
		}
		for k, v := range row {
			x.Row(i)[k] = float32(v)
		}
	}
	return x
}
