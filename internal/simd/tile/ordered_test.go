package tile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
	"unfold/internal/vec"
)

// sameBits reports whether two numbers have the same bits; all NaNs are equal.
func sameBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

// Every instruction set gives the bits of plain Go for numbers of any kind, and accesses nothing
// outside.
func TestOrderedIsTheTwinBitForBit(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		rng := rand.New(rand.NewPCG(3, 3))
		for depth := 1; depth <= 257; depth++ {
			for _, rows := range []int{tall, short} {
				fill := func(n int) []float64 {
					x := simdtest.AtEnd[float64](t, n+depth%2)[:n]
					for k := range x {
						x[k] = rng.NormFloat64()
						if rng.IntN(40*depth) == 0 {
							x[k] = simdtest.Odd[rng.IntN(len(simdtest.Odd))]
						}
					}
					return x
				}
				got, a, w := fill(rows*lanes), fill(rows*depth), fill(lanes*depth)
				want := slices.Clone(got)
				ordered(l, got, a, w, rows, depth)
				orderedGeneric(want, a, w, rows, depth)
				if !slices.EqualFunc(got, want, sameBits) {
					t.Fatalf("%d vectors, depth %d: not the bits of the twin", rows, depth)
				}
			}
		}
	})
}

// The kernels for a single vector and several panels agree with plain Go too.
func TestOrderedOneIsTheTwinBitForBit(t *testing.T) {
	const margin = 9
	everywhere(t, func(t *testing.T, l simd.Level) {
		rng := rand.New(rand.NewPCG(3, 4))
		for depth := 1; depth <= 257; depth++ {
			dim := depth + rng.IntN(3)
			fill := func(n int) []float64 {
				x := simdtest.AtEnd[float64](t, n+depth%2)[:n]
				for k := range x {
					if x[k] = rng.NormFloat64(); rng.IntN(40*depth) == 0 {
						x[k] = simdtest.Odd[rng.IntN(len(simdtest.Odd))]
					}
				}
				return x
			}
			got, a, w := fill(wide*lanes+2*margin), fill(depth), fill(lanes*((wide-1)*dim+depth))
			want := slices.Clone(got)
			orderedOne(l, got[margin:][:wide*lanes], a, w, depth, dim)
			orderedOneGeneric(want[margin:][:wide*lanes], a, w, depth, dim)
			if !slices.EqualFunc(got, want, sameBits) {
				t.Fatalf("depth %d: not the bits of the twin, or something beside them", depth)
			}
		}
	})
}

// Kernels write only their sums.
func TestOrderedStaysInside(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		for _, rows := range []int{tall, short} {
			const margin = 9
			sum := make([]float64, rows*lanes+2*margin)
			for k := range sum {
				sum[k] = 5
			}
			ordered(l, sum[margin:][:rows*lanes], make([]float64, rows), make([]float64, lanes), rows, 1)
			for k, v := range sum {
				if v != 5 {
					t.Fatalf("%d vectors: element %d became %v", rows, k-margin, v)
				}
			}
		}
	})
}

// A vector has the same image alone and in any batch, with every instruction set and any number of
// threads: the documented sum.
func TestLinearIsTheFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(0, 120).Draw(t, "n"), rapid.IntRange(1, 300).Draw(t, "dim")
		q := rapid.IntRange(1, 40).Draw(t, "q")
		mean := rapid.SampledFrom([]float64{0, 1000}).Draw(t, "mean")
		x, w := matrix(t, "x", n, dim, mean), vec.Convert[float64](matrix(t, "w", q, dim, 0))
		c := make([]float64, dim)
		for k := range c {
			c[k] = mean + 0.1*float64(k%3)
		}
		l := NewLinear(c, w)
		if l.Dim() != dim || l.Q() != q {
			t.Fatalf("the map is from %d to %d, want %d to %d", l.Dim(), l.Q(), dim, q)
		}
		want := vec.New[float32](n, q)
		for i := range n {
			for j := range q {
				var s float64
				for k, v := range x.Row(i) {
					s += float64((float64(v) - c[k]) * w.Row(j)[k])
				}
				want.Row(i)[j] = float32(s)
			}
		}
		for _, level := range simd.Levels() {
			for _, threads := range []int{1, 3} {
				if got := l.applyAt(level, x, threads); got.Rows != n || got.Cols != q || !slices.Equal(got.Data, want.Data) {
					t.Fatalf("%v, %d threads: other bits than the formula", level, threads)
				}
			}
			if n > 0 {
				i := rapid.IntRange(0, n-1).Draw(t, "row")
				if got := l.applyAt(level, x.Slice(i, i+1), 1); !slices.Equal(got.Data, want.Row(i)) {
					t.Fatalf("%v: row %d has other bits alone", level, i)
				}
			}
		}
	})
}

func TestLinearShapes(t *testing.T) {
	for name, f := range map[string]func(){
		"centre":  func() { NewLinear(make([]float64, 2), vec.New[float64](1, 3)) },
		"columns": func() { NewLinear(make([]float64, 3), vec.New[float64](1, 3)).Apply(vec.New[float32](5, 4), 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
	// A matrix without rows may have any number of columns.
	for _, cols := range []int{0, 3, 4} {
		if z := NewLinear(make([]float64, 3), vec.New[float64](2, 3)).Apply(vec.New[float32](0, cols), 1); z.Rows != 0 || z.Cols != 2 {
			t.Errorf("no rows of %d columns become %d x %d", cols, z.Rows, z.Cols)
		}
	}
}

// BenchmarkLinear maps 28 x 28 pictures to 50 components on one core: 10000 at once, and one.
func BenchmarkLinear(b *testing.B) {
	const m, q = 784, 50
	l := NewLinear(make([]float64, m), vec.Convert[float64](normal(q, m)))
	for _, level := range simd.Levels() {
		for _, n := range []int{1, 10000} {
			b.Run(fmt.Sprintf("%v/rows=%d", level, n), func(b *testing.B) {
				x := normal(n, m)
				for b.Loop() {
					l.applyAt(level, x, 1)
				}
				report(b, float64(2*n*m*q))
			})
		}
	}
}
