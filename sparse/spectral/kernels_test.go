package spectral

import (
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
)

// everywhere runs a test with each instruction set, for blocks of 0 to 257 rows that end at the end
// of memory or begin unaligned.
func everywhere(t *testing.T, test func(t *testing.T, l simd.Level, block func(f func() float64) []float64)) {
	for _, l := range simd.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			for rows := range 258 {
				test(t, l, func(f func() float64) []float64 { return simdtest.Fill(t, rows*wide, rows%3, f) })
			}
		})
	}
}

// Integers have no rounding errors: every instruction set gives the results of the portable
// version.
func TestKernelsOfIntegers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	integer := func() float64 { return float64(rng.IntN(2001) - 1000) }
	everywhere(t, func(t *testing.T, l simd.Level, block func(f func() float64) []float64) {
		compareKernels(t, l, block, integer, func(got, want, _ float64) bool { return got == want })
	})
}

// Sums of normal numbers agree within a rounding for each term.
func TestKernelsOfNormals(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	everywhere(t, func(t *testing.T, l simd.Level, block func(f func() float64) []float64) {
		compareKernels(t, l, block, rng.NormFloat64, func(got, want, terms float64) bool {
			return math.Abs(got-want) <= 100*terms*0x1p-53 // of terms that are less than 100
		})
	})
}

// NaN, infinities and denormal numbers give the same results as in the portable version.
func TestKernelsOfOddValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	odd := func() float64 {
		for rng.IntN(8) == 0 {
			// Values whose squares are near the largest finite number are avoided, since overflow
			// would depend on the order of sums.
			if v := simdtest.Odd[rng.IntN(len(simdtest.Odd))]; math.Abs(v) < 1e100 || math.Abs(v) > math.MaxFloat64 || v != v {
				return v
			}
		}
		return float64(rng.IntN(3) - 1)
	}
	everywhere(t, func(t *testing.T, l simd.Level, block func(f func() float64) []float64) {
		compareKernels(t, l, block, odd, func(got, want, _ float64) bool {
			return got == want || math.Abs(got-want) < 1e-290 || math.IsNaN(got) && math.IsNaN(want)
		})
	})
}

// compareKernels compares all kernels of an instruction set with the portable versions, for blocks
// filled by f.
func compareKernels(t *testing.T, l simd.Level, block func(f func() float64) []float64, f func() float64, equal func(got, want, terms float64) bool) {
	t.Helper()
	same := func(what string, got, want []float64, terms int) {
		t.Helper()
		for k, v := range got {
			if !equal(v, want[k], float64(terms)) {
				t.Fatalf("%s: number %d is %v, in the twin %v", what, k, v, want[k])
			}
		}
	}
	copied := func(v []float64) []float64 {
		k := 0
		return block(func() float64 { k++; return v[k-1] })
	}
	x, y, z := block(f), block(f), block(f)
	rows := len(x)/wide + 1
	var sums, want [2 * wide * wide]float64
	for k := range sums {
		sums[k] = f()
	}
	want = sums
	productsLevel(l, &sums, x, y, z)
	productsGeneric(&want, x, y, z)
	same("products", sums[:], want[:], rows)

	var coeff [3 * wide * wide]float64
	for k := range coeff {
		coeff[k] = f()
	}
	a, b, c, d := copied(x), copied(z), copied(x), copied(z)
	combineLevel(l, a, y, b, &coeff)
	combineGeneric(c, y, d, &coeff)
	same("vectors", a, c, 3*wide)
	same("changes", b, d, 2*wide)

	a, c = copied(x), copied(x)
	projectLevel(l, a, y, (*[wide * wide]float64)(coeff[:]))
	projectGeneric(c, y, (*[wide * wide]float64)(coeff[:]))
	same("projection", a, c, 2*wide)

	theta, squares := [wide]float64{f(), f(), f(), f()}, [wide]float64{f(), f(), f(), f()}
	others := squares
	r, s := block(f), block(f)
	residualLevel(l, r, x, y, &theta, &squares)
	residualGeneric(s, x, y, &theta, &others)
	same("residual", r, s, 2)
	same("squares", squares[:], others[:], 100*rows)
}
