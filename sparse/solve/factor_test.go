package solve

import (
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
)

// Both substitutions give the same bits with every instruction set as in plain Go, for factors of 0
// to 257 points whose columns have up to as many entries, all slices at the end of their memory.
// NaN occurs in the same places.
func TestSubstitution(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	at := func(n int, f func() float64) []float64 { return simdtest.Fill(t, n, 0, f) }
	for n := range 258 {
		f := &Factor{n: n, order: simdtest.AtEnd[int32](t, n), start: simdtest.AtEnd[int](t, n+1), pivot: at(n, r.Float64)}
		var to []int32
		for k := range n {
			f.order[k] = int32(n - 1 - k)
			for j := k + 1; j < n; j++ {
				if r.IntN(n) < 1+8*(k%40/39) {
					to = append(to, int32(j))
				}
			}
			f.start[k+1] = len(to)
		}
		f.to, f.below = simdtest.AtEnd[int32](t, len(to)), at(len(to), r.Float64)
		copy(f.to, to)
		given := at(2*n, r.NormFloat64)
		if n > 0 && n%5 == 0 {
			given[r.IntN(2*n)] = simdtest.Odd[n/5%len(simdtest.Odd)]
		}
		run := func(l simd.Level) (y, z0, z1 []float64) {
			y, z0, z1 = at(2*n, r.Float64), at(n, r.Float64), at(n, r.Float64)
			copy(y, given)
			f.forwardLevel(l, y)
			f.backwardLevel(l, z0, z1, y)
			return y, z0, z1
		}
		y, z0, z1 := run(simd.Generic)
		for _, l := range simd.Levels() {
			gotY, got0, got1 := run(l)
			same := func(what string, got, want []float64) {
				for k, v := range got {
					if math.Float64bits(v) != math.Float64bits(want[k]) && !(math.IsNaN(v) && math.IsNaN(want[k])) {
						t.Fatalf("%v, %d points, %s: number %d is %v, want %v", l, n, what, k, v, want[k])
					}
				}
			}
			same("y", gotY, y)
			same("first column", got0, z0)
			same("second column", got1, z1)
		}
	}
}
