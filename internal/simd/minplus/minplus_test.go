package minplus

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
)

// Every instruction set gives the same bits as plain Go for all lengths, on memory that ends where
// slices do, and with infinite values.
func TestLevelsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, l := range simd.Levels() {
		for n := range 100 {
			least, v := simdtest.AtEnd[float32](t, n), simdtest.AtEnd[float32](t, n)
			for j := range least {
				least[j], v[j] = r.Float32(), r.Float32()
				switch r.IntN(8) {
				case 0:
					least[j] = float32(math.Inf(1))
				case 1:
					v[j] = float32(math.Inf(1))
				case 2:
					v[j] = least[j]
				}
			}
			more := r.Float32() / 4
			want := slices.Clone(least)
			for j, w := range v {
				want[j] = min(want[j], more+w)
			}
			twin := slices.Clone(least)
			takeTwin(twin, more, v)
			if takeAt(l, least, more, v); !slices.Equal(least, want) || !slices.Equal(twin, want) {
				t.Fatalf("%v: %d elements: %v and %v, want %v", l, n, least, twin, want)
			}
		}
	}
}

func BenchmarkTake(b *testing.B) {
	least, v := make([]float32, 250), make([]float32, 250)
	for _, l := range simd.Levels() {
		b.Run(l.String(), func(b *testing.B) {
			for b.Loop() {
				takeAt(l, least, 1, v)
			}
		})
	}
}
