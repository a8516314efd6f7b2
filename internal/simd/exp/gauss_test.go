package exp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
)

// All instruction sets give the same bits as plain Go for all lengths and numbers of dimensions,
// and access nothing beyond the end of memory.
func TestGaussLevels(t *testing.T) {
	for _, l := range simd.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 3))
			for n := 1; n < 258; n++ {
				dims := 1 + n%5
				stride := n + n%3
				z := simdtest.AtEnd[float64](t, (dims-1)*stride+n)
				mu, c := simdtest.AtEnd[float64](t, dims), simdtest.AtEnd[float64](t, dims)
				for i := range z {
					z[i] = 3 * r.NormFloat64()
				}
				for q := range mu {
					mu[q], c[q] = r.NormFloat64(), r.ExpFloat64()
				}
				want := make([]float64, n)
				gaussGeneric(want, z, stride, mu, c)
				const margin = 9
				room := make([]float64, n+2*margin)
				for i := range room {
					room[i] = -7
				}
				from := margin - n%3
				gaussAt(l, room[from:from+n], z, stride, mu, c)
				if !slices.Equal(room[from:from+n], want) {
					t.Fatalf("%d numbers of %d dimensions: not what the twin gives", n, dims)
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

// The plain version computes the formula, also if a dimension has weight 0, all points are far, or
// a value is NaN.
func TestGauss(t *testing.T) {
	z := []float64{0, 1, -2, 1e200, math.NaN(), 5e-324, 3, 3, 3, 3, 3, 3}
	for _, l := range simd.Levels() {
		for _, c := range [][]float64{{.5, .25}, {0, .25}, {0, 0}, {1e300, 1}} {
			dst := make([]float64, 6)
			gaussAt(l, dst, z, 6, []float64{1, 2}, c)
			for i, v := range dst {
				d := 1 - z[i]
				want := math.Exp(-c[0]*d*d - c[1])
				if math.Abs(v-want) > 1e-15 && !(math.IsNaN(v) && math.IsNaN(want)) {
					t.Errorf("%v: number %d with %v is %v, want %v", l, i, c, v, want)
				}
			}
		}
	}
	one := []float64{7}
	Gauss(nil, nil, 0, []float64{1}, []float64{1})
	if Gauss(one, nil, 0, nil, nil); one[0] != 1 {
		t.Errorf("%v without dimensions", one)
	}
}

func BenchmarkGauss(b *testing.B) {
	const n = 2048
	z, dst := make([]float64, 2*n), make([]float64, n)
	for i := range z {
		z[i] = float64(i) / n
	}
	mu, c := []float64{.3, .6}, []float64{4, 4}
	b.SetBytes(8 * n)
	for b.Loop() {
		Gauss(dst, z, n, mu, c)
	}
}
