package modeltest

import (
	"math"
	"math/rand/v2"

	"unfold/internal/vec"
)

// SwissRoll returns n points of a swiss roll in three dimensions, centred and with absolute values
// up to 1.
func SwissRoll(n int) vec.Matrix[float64] {
	rnd := rand.New(rand.NewPCG(7, uint64(n)))
	y, mean, most := vec.New[float64](n, 3), make([]float64, 3), 0.0
	for i := range n {
		t := 1.5 * math.Pi * (1 + 2*rnd.Float64())
		copy(y.Row(i), []float64{t * math.Cos(t), 21 * rnd.Float64(), t * math.Sin(t)})
		vec.Axpy(1/float64(n), y.Row(i), mean)
	}
	for i := range n {
		vec.Axpy(-1, mean, y.Row(i))
		for _, v := range y.Row(i) {
			most = max(most, math.Abs(v))
		}
	}
	vec.Scale(1/most, y.Data)
	return y
}
