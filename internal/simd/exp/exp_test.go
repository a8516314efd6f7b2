package exp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
)

// Errors are below one unit in the last place over the whole range.
func TestExp(t *testing.T) {
	r, worst := rand.New(rand.NewPCG(1, 1)), 0.0
	for range 4000 {
		near := math.Ln2 * (float64(r.IntN(2000)-1000) + 0.5)
		for _, x := range []float64{r.NormFloat64(), 700 * (2*r.Float64() - 1), math.Exp(-40 * r.Float64()), near * (1 + 1e-9*r.NormFloat64()), -744 + 4*r.Float64()} {
			want := simdtest.Exp(x)
			near, _ := want.Float64()
			if math.IsInf(near, 1) || near == 0 {
				if got := exp(x); got != near {
					t.Errorf("e^%v = %v, want %v", x, got, near)
				}
				continue
			}
			unit := math.Nextafter(near, math.Inf(1)) - near
			d, _ := new(big.Float).Sub(new(big.Float).SetFloat64(exp(x)), want).Float64()
			worst = max(worst, math.Abs(d)/unit)
		}
	}
	t.Logf("largest error: %.3f units in the last place", worst)
	if worst > 1 {
		t.Errorf("an error of %.3f units in the last place", worst)
	}
}

// All instruction sets give the same bits as plain Go for all lengths, also in place, and access
// nothing beyond the end of memory.
func TestLevels(t *testing.T) {
	for _, l := range simd.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(2, 2))
			for n := range 258 {
				x, want := simdtest.AtEnd[float64](t, n), make([]float64, n)
				for i := range x {
					x[i] = 400 * r.NormFloat64()
				}
				expGeneric(want, x)
				const margin = 9
				room := make([]float64, n+2*margin)
				for i := range room {
					room[i] = -7
				}
				from := margin - n%3
				expAt(l, room[from:from+n], x)
				expAt(l, x, x)
				if !slices.Equal(room[from:from+n], want) || !slices.Equal(x, want) {
					t.Fatalf("%d numbers: not what the twin gives", n)
				}
				for i, v := range room {
					if (i < from || i >= from+n) && v != -7 {
						t.Fatalf("%d numbers: element %d was written", n, i-from)
					}
				}
			}
		})
	}
}

// Numbers that are easy to get wrong.
func TestOdd(t *testing.T) {
	for _, l := range simd.Levels() {
		x := append(slices.Clone(simdtest.Odd), 709.78, 709.79, -745.13, -745.14, -708.4, 999, 1001, -1001)
		got, want := make([]float64, len(x)), make([]float64, len(x))
		expAt(l, got, x)
		expGeneric(want, x)
		for i, v := range x {
			w := math.Exp(v)
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) ||
				math.IsNaN(w) != math.IsNaN(got[i]) || !math.IsNaN(w) && got[i] != w && math.Abs(got[i]-w) > 1e-14*w+math.SmallestNonzeroFloat64 {
				t.Errorf("%v: e^%v = %v, twin %v, math %v", l, v, got[i], want[i], w)
			}
		}
	}
}

func BenchmarkExp(b *testing.B) {
	x := make([]float64, 1024)
	dst := make([]float64, len(x))
	for i := range x {
		x[i] = -float64(i) / 50
	}
	b.SetBytes(int64(8 * len(x)))
	for b.Loop() {
		Exp(dst, x)
	}
}
