package saul

import (
	"math/rand/v2"

	"unfold/internal/vec"
)

// blobs returns n points around five centres in dim dimensions.
func blobs(n, dim int, seed uint64) vec.Matrix[float32] {
	r := rand.New(rand.NewPCG(seed, 77))
	centers := vec.New[float32](5, dim)
	for k := range centers.Data {
		centers.Data[k] = 3 * float32(r.NormFloat64())
	}
	x := vec.New[float32](n, dim)
	for i := range n {
		c := centers.Row(r.IntN(5))
		for k := range c {
			x.Row(i)[k] = c[k] + float32(r.NormFloat64())
		}
	}
	return x
}
