package gemm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
)

// everywhere runs a test at each level.
func everywhere(t *testing.T, test func(t *testing.T, l simd.Level)) {
	for _, l := range simd.Levels() {
		t.Run(l.String(), func(t *testing.T) { test(t, l) })
	}
}

// Integers have no rounding errors: every instruction set agrees with plain Go, reads nothing
// outside, and leaves memory between the lines unchanged.
func TestAddOfIntegers(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		rng := rand.New(rand.NewPCG(1, 1))
		integer := func() float64 { return float64(rng.IntN(2001) - 1000) }
		for terms := 1; terms <= 257; terms++ {
			stride := width + []int{0, 1, 100}[terms%3]
			a, b := simdtest.Fill(t, terms*height, terms%2, integer), simdtest.Fill(t, terms*width, terms%2, integer)
			const margin = 5
			whole := simdtest.Fill(t, margin+(height-1)*stride+width, 0, integer)
			want := slices.Clone(whole)
			add(l, whole[margin:], stride, a, b, terms, 3)
			addGeneric(want[margin:], stride, a, b, terms, 3)
			if !slices.Equal(whole, want) {
				t.Fatalf("%d terms, lines of %d: not what the twin adds", terms, stride)
			}
		}
	})
}

// Sums of normal numbers agree with the twin's within the stated error.
func TestAddOfNormals(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		rng := rand.New(rand.NewPCG(2, 2))
		for _, terms := range []int{1, 2, 3, 50, 256} {
			a, b := simdtest.Fill(t, terms*height, 0, rng.NormFloat64), simdtest.Fill(t, terms*width, 0, rng.NormFloat64)
			got, want := make([]float64, height*width), make([]float64, height*width)
			add(l, got, width, a, b, terms, -0.7)
			addGeneric(want, width, a, b, terms, -0.7)
			for at := range got {
				var size float64
				for k := range terms {
					size += math.Abs(0.7 * a[k*height+at/width] * b[k*width+at%width])
				}
				if d := math.Abs(got[at] - want[at]); d > 2*float64(terms+3)*0x1p-53*size {
					t.Fatalf("%d terms: %v, in the twin %v", terms, got[at], want[at])
				}
			}
		}
	})
}

// NaN, infinities and denormals give the same results as in plain Go.
func TestAddOddValues(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		rng := rand.New(rand.NewPCG(3, 3))
		for range 500 {
			a := simdtest.Fill(t, height, 1, func() float64 { return float64(rng.IntN(3) - 1) })
			b := simdtest.Fill(t, width, 1, func() float64 { return simdtest.Odd[rng.IntN(len(simdtest.Odd))] })
			got, want := make([]float64, height*width), make([]float64, height*width)
			add(l, got, width, a, b, 1, 1)
			addGeneric(want, width, a, b, 1, 1)
			for k := range got {
				if got[k] != want[k] && !(math.IsNaN(got[k]) && math.IsNaN(want[k])) {
					t.Fatalf("%v times %v is %v, in the twin %v", a[k/width], b[k%width], got[k], want[k])
				}
			}
		}
	})
}
