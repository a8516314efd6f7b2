package codes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd"
)

// magnitudes are the largest codes of the tests: those of any kernel and around them.
var magnitudes = []int{1, 30, 31, 32, 45, 46, 63, 64, Largest}

// draw returns n vectors of codes, those of even number with only the largest magnitudes.
func draw(rng *rand.Rand, n, dim, largest int) [][]int8 {
	out := make([][]int8, n)
	for i := range out {
		out[i] = make([]int8, dim)
		for k := range out[i] {
			out[i][k] = int8(rng.IntN(2*largest+1) - largest)
			if i%2 == 0 {
				out[i][k] = int8(largest - 2*largest*rng.IntN(2))
			}
		}
	}
	return out
}

// half returns the value of a bound: the sum of floor(n/2) for the squared norms n of two vectors,
// minus their product.
func half(a, b []int8) int32 {
	var na, nb, ab int32
	for k, x := range a {
		y := b[k]
		na, nb, ab = na+int32(x)*int32(x), nb+int32(y)*int32(y), ab+int32(x)*int32(y)
	}
	return na>>1 + nb>>1 - ab
}

// Bounds are half the squared distances or one less, and Scan finds the pairs within the larger of
// two limits, for every instruction set. Padding is never found.
func TestProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n, dim := rapid.IntRange(1, 150).Draw(t, "n"), rapid.IntRange(1, 70).Draw(t, "dim")
		largest := rapid.SampledFrom(magnitudes).Draw(t, "largest")
		rows := draw(rng, n, dim, largest)
		p := NewPanels(n, dim, largest)
		for i, c := range rows {
			p.Set(i, c)
		}
		from := rng.IntN(p.Count())
		stride := (p.Count() - from) * Width
		first := rng.IntN((n+Height-1)/Height) * Height
		a := NewLeft(p)
		a.Take(simd.Best(), p, first)
		if rapid.Bool().Draw(t, "set") {
			a = NewLeft(p)
			for r := range min(Height, n-first) {
				a.Set(r, rows[first+r])
			}
		}
		aLeast, bLeast := make([]int32, Height), make([]int32, stride)
		for r := range aLeast {
			aLeast[r] = []int32{Lowest, 0, -half(rows[0], rows[n-1]), 5}[rng.IntN(4)]
		}
		for c := range bLeast {
			bLeast[c] = []int32{5, 5, -half(rows[0], rows[n/2])}[rng.IntN(3)]
		}
		eachKernel(func(l simd.Level) {
			mask, dst := make([]uint64, stride/Width*Height), make([]int32, Height*stride)
			Scan(l, mask, a, aLeast, p, from, p.Count(), bLeast)
			Bounds(l, dst, stride, a, p, from, p.Count())
			for r := range min(Height, n-first) {
				for c := range stride {
					j := from*Width + c
					pass, bound := mask[c/Width*Height+r]>>(c%Width)&1 == 1, dst[r*stride+c]
					if j >= n {
						if pass || bound < -2*Lowest {
							t.Fatalf("%v: padding is found, with the bound %d", l, bound)
						}
						continue
					}
					h := half(rows[first+r], rows[j])
					if bound != max(0, h) || pass != (-h >= min(aLeast[r], bLeast[c])) {
						t.Fatalf("%v: rows %d and %d: bound %d, want %d; passed: %v", l, first+r, j, bound, h, pass)
					}
				}
			}
			for _, m := range mask {
				if m>>Width != 0 {
					t.Fatalf("%v: bits beyond the vectors: %x", l, m)
				}
			}
		})
	})
}

// The farthest vectors of the largest dimension do not overflow: every pair reaches Lowest, and
// padding does not.
func TestLargest(t *testing.T) {
	for _, largest := range magnitudes {
		p := NewPanels(1, MaxDim, largest)
		a := NewLeft(p)
		high, low := slices.Repeat([]int8{int8(largest)}, MaxDim), slices.Repeat([]int8{int8(-largest)}, MaxDim)
		for _, signs := range [][2][]int8{{high, low}, {low, high}} {
			p.Set(0, signs[1])
			for r := range Height {
				a.Set(r, signs[r%2])
			}
			eachKernel(func(l simd.Level) {
				mask, dst := make([]uint64, Height), make([]int32, Height*Width)
				least := slices.Repeat([]int32{Lowest}, Width)
				Scan(l, mask, a, least, p, 0, 1, least)
				Bounds(l, dst, Width, a, p, 0, 1)
				for r, m := range mask {
					want := int32(2 * largest * largest * MaxDim)
					if r%2 == 1 {
						want = 0
					}
					if m != 1 || dst[r*Width] != want || dst[r*Width+1] < -2*Lowest {
						t.Errorf("%v, codes up to %d, row %d: mask %x, bounds %d and %d, want 1, %d and at least %d", l, largest, r, m, dst[r*Width], dst[r*Width+1], want, -2*Lowest)
					}
				}
			})
		}
	}
}

// Every level multiplies the codes fast that it lists, and the first of them the fastest.
func TestFast(t *testing.T) {
	eachKernel(func(l simd.Level) {
		fast := Fast(l)
		if (l == simd.AVX2 || l == simd.AVX512) != (len(fast) > 0) {
			t.Errorf("%v: codes up to %v", l, fast)
		}
		for i, r := range fast {
			if i > 0 && (r.Largest <= fast[i-1].Largest || r.Time <= fast[i-1].Time) || r.Time >= 1 {
				t.Errorf("%v: %v: coarser codes come first and take less time", l, fast)
			}
		}
	})
}

// Invalid arguments panic before memory outside the slices is read.
func TestPanics(t *testing.T) {
	p := NewPanels(50, 5, Largest)
	a := NewLeft(p)
	mask, least := make([]uint64, 2*Height), make([]int32, 2*Width)
	for name, call := range map[string]func(){
		"short masks":      func() { Scan(simd.Best(), mask[:Height:Height], a, least, p, 0, 2, least) },
		"short thresholds": func() { Scan(simd.Best(), mask, a, least, p, 0, 2, least[:Width:Width]) },
		"panel beyond":     func() { Scan(simd.Best(), mask, a, least, p, 1, 3, least) },
		"other dimension":  func() { Scan(simd.Best(), mask, NewLeft(NewPanels(1, 6, Largest)), least, p, 0, 2, least) },
		"other codes":      func() { Scan(simd.Best(), mask, NewLeft(NewPanels(1, 5, 63)), least, p, 0, 2, least) },
		"short lines":      func() { Bounds(simd.Best(), make([]int32, 2*Height*Width), Width, a, p, 0, 2) },
		"short bounds":     func() { Bounds(simd.Best(), make([]int32, Width), Width, a, p, 0, 1) },
		"vector beyond":    func() { p.Set(50, make([]int8, 5)) },
		"short vector":     func() { a.Set(0, make([]int8, 4)) },
		"odd first":        func() { a.Take(simd.Best(), p, 3) },
		"too many":         func() { NewPanels(1, MaxDim+1, Largest) },
		"no dimension":     func() { NewPanels(1, 0, Largest) },
		"too large codes":  func() { NewPanels(1, 5, Largest+1) },
		"no codes":         func() { NewPanels(1, 5, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		})
	}
}

// BenchmarkScan measures 48 vectors with 960 on one core.
func BenchmarkScan(b *testing.B) {
	const m, dim = 960, 768
	for _, largest := range []int{31, 45, 63, Largest} {
		rows := draw(rand.New(rand.NewPCG(3, 4)), m, dim, largest)
		p := NewPanels(m, dim, largest)
		for i, c := range rows {
			p.Set(i, c)
		}
		a, mask, least := NewLeft(p), make([]uint64, m/Width*Height), make([]int32, m)
		eachKernel(func(l simd.Level) {
			if !slices.ContainsFunc(Fast(l), func(r Range) bool { return r.Largest == largest }) {
				return
			}
			b.Run(fmt.Sprintf("%v/%d", l, largest), func(b *testing.B) {
				for b.Loop() {
					for i := 0; i < Width; i += Height {
						a.Take(simd.Best(), p, i)
						Scan(l, mask, a, least, p, 0, p.Count(), least)
					}
				}
				b.ReportMetric(Width*m*dim*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gproducts/s")
			})
		})
	}
}
