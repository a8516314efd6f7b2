package tile

import (
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
)

// Skipping zeros changes no bit, in batches of any height and for rows with few and with many
// zeros, including -0.
func TestSkippedZeros(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const dim, q = 300, 19
	w := vec.New[float64](q, dim)
	for i := range w.Data {
		w.Data[i] = rng.NormFloat64()
	}
	skips := NewLinear(make([]float64, dim), w)
	full := NewLinear(make([]float64, dim), w)
	full.skips = false
	if !skips.skips {
		t.Fatal("zeros are not passed over")
	}
	for _, n := range []int{1, 3, 24, 61} {
		x := vec.New[float32](n, dim)
		for i := range n {
			for range []int{0, 1, 20, 200}[rng.IntN(4)] {
				x.Row(i)[rng.IntN(dim)] = float32(rng.NormFloat64())
			}
			x.Row(i)[rng.IntN(dim)] = float32(math.Copysign(0, -1))
		}
		got, want := skips.Apply(x, 1), full.Apply(x, 1)
		for k, v := range want.Data {
			if math.Float32bits(got.Data[k]) != math.Float32bits(v) {
				t.Fatalf("%d rows: element %d of row %d is %v, want %v", n, k%q, k/q, got.Data[k], v)
			}
		}
	}
	centred := make([]float64, dim)
	centred[7] = 1
	if l := NewLinear(centred, w); l.skips || l.Still() {
		t.Error("zeros are passed over, and what is subtracted from them is not 0")
	}
}
