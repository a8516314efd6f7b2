package gather

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
	"unfold/internal/vec"
)

// everywhere runs a test with each instruction set and number of columns.
func everywhere(t *testing.T, f func() float64, test func(t *testing.T, l simd.Level, n, stride, rows int, p, x, w []float64, list []int32)) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, l := range simd.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			for n := 1; n <= 257; n++ {
				rows, stride := 3+n%5, n+[]int{0, 1, 9}[n%3]
				size := (rows-1)*stride + n // the last row ends with the data that is read
				list := make([]int32, 1+n%13)
				for k := range list {
					list[k] = int32(rng.IntN(rows))
				}
				test(t, l, n, stride, rows, simdtest.Fill(t, size, n%2, f), simdtest.Fill(t, size, n%2, f), simdtest.Fill(t, len(list), 0, f), list)
			}
		})
	}
}

// Integers have no rounding errors: every instruction set agrees with plain Go, and other memory
// stays unchanged.
func TestOfIntegers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	integer := func() float64 { return float64(rng.IntN(201) - 100) }
	everywhere(t, integer, func(t *testing.T, l simd.Level, n, stride, rows int, p, x, w []float64, list []int32) {
		const margin = 3
		for _, of := range []string{"sum", "slope"} {
			whole := simdtest.Fill(t, n+2*margin, 0, integer)
			want := slices.Clone(whole)
			got, own := whole[margin:][:n], n%rows
			if of == "sum" {
				sum(l, got, x, stride, list, w)
				sumGeneric(want[margin:][:n], x, stride, list, w)
			} else {
				slope(l, got, p, own, x, stride, list, w)
				slopeGeneric(want[margin:][:n], p, own, x, stride, list, w)
			}
			if !slices.Equal(whole, want) {
				t.Fatalf("%s of %d columns, %d terms: not the twin's", of, n, len(list))
			}
			if end := simdtest.AtEnd[float64](t, n); true { // dst ends at the end of memory
				copy(end, got)
				if of == "sum" {
					sum(l, end, x, stride, list, w)
				} else {
					slope(l, end, p, own, x, stride, list, w)
				}
				if !slices.Equal(end, got) {
					t.Fatalf("%s of %d columns at the end of memory differs", of, n)
				}
			}
		}
	})
}

// For normal numbers the instruction sets agree within the stated error, for others in being NaN or
// infinite.
func TestOfOthers(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	test := func(t *testing.T, l simd.Level, n, stride, rows int, p, x, w []float64, list []int32) {
		got, want := make([]float64, n), make([]float64, n)
		compare := func(of string, own int) {
			for j := range got {
				size := 0.
				for k, row := range list {
					f := 1.
					if own >= 0 {
						f = p[int(row)*stride+j] - p[own*stride+j]
					}
					size += math.Abs(w[k] * f * x[int(row)*stride+j])
				}
				if math.IsNaN(size) || math.IsInf(size, 0) {
					if isOdd(got[j]) != isOdd(want[j]) {
						t.Fatalf("%s: element %d of %d is %g, in the twin %g", of, j, n, got[j], want[j])
					}
				} else if d := math.Abs(got[j] - want[j]); d > 2*float64(len(list)+2)*0x1p-53*size+1e-320 {
					t.Fatalf("%s: element %d of %d is %g, in the twin %g", of, j, n, got[j], want[j])
				}
			}
		}
		sum(l, got, x, stride, list, w)
		sumGeneric(want, x, stride, list, w)
		compare("sum", -1)
		slope(l, got, p, n%rows, x, stride, list, w)
		slopeGeneric(want, p, n%rows, x, stride, list, w)
		compare("slope", n%rows)
	}
	everywhere(t, rng.NormFloat64, test)
	everywhere(t, func() float64 {
		if rng.IntN(4) > 0 {
			return 1
		}
		return simdtest.Odd[rng.IntN(len(simdtest.Odd))]
	}, test)
}

func isOdd(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// Invalid shapes panic instead of reading other memory.
func TestShapes(t *testing.T) {
	x := vec.New[float64](3, 5)
	for name, f := range map[string]func(){
		"columns": func() { Sum(make([]float64, 6), x, []int32{0}, []float64{1}) },
		"row":     func() { Sum(make([]float64, 5), x, []int32{3}, []float64{1}) },
		"weights": func() { Sum(make([]float64, 5), x, []int32{1, 2}, []float64{1}) },
		"own":     func() { Slope(make([]float64, 5), x, 3, x, []int32{0}, []float64{1}) },
		"shape":   func() { Slope(make([]float64, 5), vec.New[float64](3, 6), 0, x, []int32{0}, []float64{1}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: taken", name)
				}
			}()
			f()
		}()
	}
	got := []float64{1, 2}
	Sum(got, x, nil, nil)
	if got[0] != 0 || got[1] != 0 {
		t.Errorf("an empty sum is %v", got)
	}
}

func BenchmarkRows(b *testing.B) {
	const n, degree = 400, 11
	p, x, dst, w := vec.New[float64](n, n), vec.New[float64](n, n), make([]float64, n), make([]float64, degree)
	for _, of := range []string{"Sum", "Slope"} {
		b.Run(fmt.Sprint(of), func(b *testing.B) {
			list := make([]int32, degree)
			for i := 0; b.Loop(); i++ {
				for k := range list {
					list[k] = int32((i + 7*k) % n)
				}
				if of == "Sum" {
					Sum(dst, x, list, w)
				} else {
					Slope(dst, p, i%n, x, list, w)
				}
			}
			b.ReportMetric(float64(n*degree*b.N)/b.Elapsed().Seconds()/1e9, "Gterm/s")
		})
	}
}
