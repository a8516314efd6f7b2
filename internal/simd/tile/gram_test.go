package tile

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
	"unfold/internal/vec"
)

// Integers have no rounding errors: every instruction set agrees with plain Go, reads nothing
// outside, and leaves memory between the lines unchanged.
func TestAddOfIntegers(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		rng := rand.New(rand.NewPCG(1, 1))
		integer := func() float32 { return float32(rng.IntN(9) - 4) }
		for n, depth := range depths(t) {
			stride := Width + []int{0, 1, 100}[n%3]
			a, b := fill(t, (depth-1)*Width+Height, n%2, integer), fill(t, depth*Width, n%2, integer)
			got := simdtest.AtEnd[float64](t, (Height-1)*stride+Width)
			for k := range got {
				got[k] = float64(k)
			}
			want := slices.Clone(got)
			add(l, got, stride, a, b, depth)
			addGeneric(want, stride, a, b, depth)
			if !slices.Equal(got, want) {
				t.Fatalf("depth %d, lines of %d: not what the twin adds", depth, stride)
			}
		}
	})
}

// NaN, infinities and denormals give the same results as in plain Go.
func TestAddOddValues(t *testing.T) {
	odd := []float32{0, 1, -1, math.SmallestNonzeroFloat32, -0x1p-140, math.MaxFloat32,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	everywhere(t, func(t *testing.T, l simd.Level) {
		rng := rand.New(rand.NewPCG(2, 2))
		for range 500 {
			a := fill(t, Height, 1, func() float32 { return float32(rng.IntN(3) - 1) })
			b := fill(t, Width, 1, func() float32 { return odd[rng.IntN(len(odd))] })
			got, want := make([]float64, Height*Width), make([]float64, Height*Width)
			add(l, got, Width, a, b, 1)
			addGeneric(want, Width, a, b, 1)
			for k := range got {
				if got[k] != want[k] && !(math.IsNaN(got[k]) && math.IsNaN(want[k])) {
					t.Fatalf("%v times %v is %v, in the twin %v", a[k/Width], b[k%Width], got[k], want[k])
				}
			}
		}
	})
}

// matrix draws a matrix of normal numbers around a mean far from zero.
func matrix(t *rapid.T, name string, rows, cols int, mean float64) vec.Matrix[float32] {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, name), 1))
	x := vec.New[float32](rows, cols)
	for k := range x.Data {
		x.Data[k] = float32(mean + rng.NormFloat64())
	}
	return x
}

func drawCentre(t *rapid.T, n int, mean float64) []float64 {
	if mean == 0 && rapid.Bool().Draw(t, "no centre") {
		return nil
	}
	c := make([]float64, n)
	for k := range c {
		c[k] = mean + 0.1*float64(k%3)
	}
	return c
}

// centred returns x - 1c' in float64.
func centred(x vec.Matrix[float32], c []float64) vec.Matrix[float64] {
	z := vec.Convert[float64](x)
	for k := range z.Data {
		if c != nil {
			z.Data[k] -= c[k%x.Cols]
		}
	}
	return z
}

const relative = 1.6e-5 // the error that Gram and Mul state

func TestGram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(0, 2500).Draw(t, "n"), rapid.IntRange(1, 120).Draw(t, "m")
		mean := rapid.SampledFrom([]float64{0, 1000}).Draw(t, "mean")
		x, c := matrix(t, "x", n, m, mean), drawCentre(t, m, mean)
		z := vec.Transpose(centred(x, c))
		for _, l := range simd.Levels() {
			got := gramAt(l, x, c, 1)
			if again := gramAt(l, x, c, 3); !slices.Equal(again.Data, got.Data) {
				t.Fatalf("%v: three threads give another result", l)
			}
			for range 50 {
				i, j := rapid.IntRange(0, m-1).Draw(t, "i"), rapid.IntRange(0, m-1).Draw(t, "j")
				checkSum(t, l, got.Data[i*m+j], z.Row(i), z.Row(j))
				if got.Data[i*m+j] != got.Data[j*m+i] {
					t.Fatalf("%v: not symmetric at (%d,%d)", l, i, j)
				}
			}
		}
	})
}

// checkSum compares got with the sum of products.
func checkSum(t *rapid.T, l simd.Level, got float64, a, b []float64) {
	var want, size float64
	for k := range a {
		want += a[k] * b[k]
		size += math.Abs(a[k] * b[k])
	}
	if !(math.Abs(got-want) <= relative*size) {
		t.Fatalf("%v: %v, want %v with an error of at most %v", l, got, want, relative*size)
	}
}

func TestShapes(t *testing.T) {
	x := vec.New[float32](4, 3)
	for name, f := range map[string]func(){
		"centre of Gram": func() { Gram(x, make([]float64, 4), 1) },
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
	if got := Gram(vec.New[float32](0, 3), nil, 1); got.Rows != 3 || !slices.Equal(got.Data, make([]float64, 9)) {
		t.Errorf("no rows: %v", got)
	}
}
