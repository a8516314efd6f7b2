package tile

import (
	"fmt"
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

// fill returns n numbers by f at the end of accessible memory or, if shift is not zero, shifted by
// that many elements from an aligned start.
func fill(t testing.TB, n, shift int, f func() float32) []float32 {
	var x []float32
	if shift == 0 {
		x = simdtest.AtEnd[float32](t, n)
	} else {
		x = make([]float32, n+shift)[shift:]
	}
	for k := range x {
		x[k] = f()
	}
	return x
}

// tail returns half the squared norm, exactly if the elements are small integers.
func tail(z []float32) (s float32) {
	for _, v := range z {
		s += v * v / 2
	}
	return s * (1 + 0x1p-15)
}

// job returns a scan of some vectors with panels, its numbers by f.
func job(t testing.TB, rows, panels, depth, shift int, f func() float32) *scanned {
	s := &scanned{
		mask:   make([]uint64, panels*rows),
		a:      fill(t, (depth-1)*Width+rows, shift, f),
		aStart: fill(t, rows, shift, f),
		aTail:  fill(t, rows, shift, f),
		aLeast: fill(t, rows, shift, f),
		b:      fill(t, panels*depth*Width, shift, f),
		bStart: fill(t, panels*Width, shift, f),
		bTail:  fill(t, panels*Width, shift, f),
		bLeast: fill(t, panels*Width, shift, f),
		prefix: max(0, depth-2) * (depth % 4) / 4,
		depth:  depth,
	}
	for r := range s.aTail {
		s.aTail[r] = tail(vector(s.a[r:], s.prefix, depth))
	}
	for c := range s.bTail {
		s.bTail[c] = tail(vector(s.b[c/Width*depth*Width+c%Width:], s.prefix, depth))
	}
	return s
}

// vector returns elements from..to of a vector of a panel.
func vector(panel []float32, from, to int) []float32 {
	z := make([]float32, 0, to)
	for k := from; k < to; k++ {
		z = append(z, panel[k*Width])
	}
	return z
}

// guarded runs a scan whose mask is between canaries, or at the end of accessible memory.
func guarded(t testing.TB, l simd.Level, s *scanned, shift int) []uint64 {
	t.Helper()
	const canary = 0x5a5a5a5a5a5a5a5a
	n, at := len(s.mask), *s
	var whole []uint64
	if shift == 0 {
		whole = simdtest.AtEnd[uint64](t, n+1)
		at.mask = whole[1:]
	} else {
		whole = make([]uint64, n+2)
		at.mask = whole[1 : n+1]
	}
	for k := range whole {
		whole[k] = canary
	}
	scan(l, &at)
	for k, v := range whole {
		if inside := k >= 1 && k <= n; !inside && v != canary {
			t.Fatalf("word %d beside a mask of %d words was written", k-1, n)
		}
	}
	return at.mask
}

// depths are those of the guard tests.
func depths(t *testing.T) []int {
	if testing.Short() {
		return []int{1, 2, 3, 50, 257}
	}
	all := make([]int, 257)
	for k := range all {
		all[k] = k + 1
	}
	return all
}

// Small integers have no rounding errors: all instruction sets agree bit for bit, with many
// products equal to their threshold. Nothing outside is accessed.
func TestScanOfIntegers(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		rng := rand.New(rand.NewPCG(1, 1))
		for _, depth := range depths(t) {
			for _, rows := range []int{1, Height} {
				for shift, panels := range []int{1, 3, 2} {
					s := job(t, rows, panels, depth, shift, func() float32 { return float32(rng.IntN(7) - 3) })
					got := guarded(t, l, s, shift)
					scanGeneric(s)
					if !slices.Equal(got, s.mask) {
						t.Fatalf("%d rows, %d panels, depth %d: %x, want %x", rows, panels, depth, got, s.mask)
					}
				}
			}
		}
	})
}

// For any numbers, a bit is wrong only if product and threshold are closer than the error in the
// package comment.
func TestScanErrors(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		rng := rand.New(rand.NewPCG(2, 2))
		for _, depth := range depths(t) {
			scale := float32(math.Ldexp(1, rng.IntN(80)-60))
			s := job(t, []int{1, Height}[depth%2], 2, depth, 1, func() float32 { return scale * float32(rng.NormFloat64()) })
			checkScan(t, s, guarded(t, l, s, 1))
		}
	})
}

func checkScan(t *testing.T, s *scanned, mask []uint64) {
	t.Helper()
	rows := len(s.aStart)
	for p := range len(mask) / rows {
		for r := range rows {
			for c := range Width {
				q, size := product(s, p, r, c)
				least := float64(min(s.aLeast[r], s.bLeast[p*Width+c]))
				if s.prefix > 0 {
					size += float64(s.aTail[r]) + float64(s.bTail[p*Width+c])
				}
				u := float64(s.depth+1) * 0x1p-24
				bound := u/(1-u)*size + float64(s.depth)*0x1p-149
				if got := mask[p*rows+r]>>c&1 == 1; got != (q >= least) && math.Abs(q-least) > bound {
					t.Fatalf("depth %d, panel %d, row %d, column %d: %v, but the product %v and the bound %v differ by more than %v",
						s.depth, p, r, c, got, q, least, bound)
				}
			}
			if mask[p*rows+r]>>Width != 0 {
				t.Fatalf("panel %d, row %d: bits beyond the columns: %x", p, r, mask[p*rows+r])
			}
		}
	}
}

// product returns the sum of one pair in float64, and that of its terms'
// magnitudes.
func product(s *scanned, p, r, c int) (q, size float64) {
	q = float64(s.aStart[r]) + float64(s.bStart[p*Width+c])
	size = math.Abs(q)
	for k := range s.depth {
		x := float64(s.a[k*Width+r]) * float64(s.b[(p*s.depth+k)*Width+c])
		q += x
		size += math.Abs(x)
	}
	return q, size
}

// Infinities, NaN and denormals give the same results as in plain Go. Every pair has at most one
// non-zero product, so that nothing is rounded.
func TestScanOddValues(t *testing.T) {
	odd := []float32{0, float32(math.Copysign(0, -1)), 1, -1, math.SmallestNonzeroFloat32, -0x1p-140, math.MaxFloat32,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	everywhere(t, func(t *testing.T, l simd.Level) {
		rng := rand.New(rand.NewPCG(3, 3))
		pick := func() float32 { return odd[rng.IntN(len(odd))] }
		for n := range 2000 {
			s := job(t, []int{1, Height}[n%2], 1+n%3, 1, 1, pick)
			for _, least := range [][]float32{s.aLeast, s.bLeast} {
				for k, v := range least {
					if v != v {
						least[k] = 0 // a bound is a number
					}
				}
			}
			for k := range s.a {
				s.a[k] = float32(rng.IntN(3) - 1) // exact products
			}
			got := guarded(t, l, s, 1)
			scanGeneric(s)
			if !slices.Equal(got, s.mask) {
				t.Fatalf("got %x, want %x", got, s.mask)
			}
		}
	})
}

// Scan and ScanRow find the same pairs, and never padding.
func TestScanOfPanels(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		rng := rand.New(rand.NewPCG(4, 4))
		for _, n := range []int{1, 7, 8, 47, 48, 49, 200} {
			t.Run(fmt.Sprint(n), func(t *testing.T) { scanPanels(t, l, rng, n, 1+rng.IntN(20)) })
		}
	})
}

func scanPanels(t *testing.T, l simd.Level, rng *rand.Rand, n, dim int) {
	p := NewPanels(n, dim, max(0, dim-2-rng.IntN(dim)))
	z := make([]float32, dim)
	for i := range n {
		for k := range z {
			z[k] = float32(rng.IntN(5) - 2)
		}
		p.Set(i, z, float32(rng.IntN(3)), tail(z[p.Prefix:]))
	}
	low := constant(p.Count()*Width, -math.MaxFloat32)
	least := constant(p.Count()*Width, 2)
	all, some, one := make([]uint64, p.Count()*Height), make([]uint64, p.Count()*Height), make([]uint64, p.Count())
	found := 0
	for i := 0; i < p.Count()*Width; i += Height {
		Scan(l, all, p, i, low, p, 0, p.Count(), low)
		Scan(l, some, p, i, least, p, 0, p.Count(), least)
		for r := range Height {
			ScanRow(l, one, p, i+r, 2, p, 0, p.Count(), least)
			for t0, bits := range one {
				if some[t0*Height+r] != bits {
					t.Fatalf("vector %d, panel %d: %x, alone %x", i+r, t0, some[t0*Height+r], bits)
				}
				for c := range Width {
					found += int(all[t0*Height+r] >> c & 1)
				}
			}
		}
	}
	if found != n*n {
		t.Fatalf("%d pairs of %d vectors reach the lowest bound", found, n)
	}
}

// With thresholds that few pairs reach, the kernels skip most blocks after the prefix. They find
// the same pairs as without a prefix.
func TestScanLeaves(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		rng := rand.New(rand.NewPCG(5, 5))
		for _, depth := range depths(t) {
			s := job(t, []int{1, Height}[depth%2], 3, depth, depth%3, func() float32 { return float32(rng.IntN(7) - 3) })
			high := float32(rng.IntN(40 + 2*depth))
			for _, least := range [][]float32{s.aLeast, s.bLeast} {
				for k := range least {
					least[k] = high
				}
			}
			got := guarded(t, l, s, depth%3)
			whole := *s
			whole.prefix = 0
			scanGeneric(&whole)
			if !slices.Equal(got, whole.mask) {
				t.Fatalf("depth %d, prefix %d: %x, want %x", depth, s.prefix, got, whole.mask)
			}
		}
	})
}

func TestScanRefuses(t *testing.T) {
	p, q := NewPanels(50, 3, 0), NewPanels(50, 4, 0)
	mask, least := make([]uint64, 2*Height), make([]float32, 2*Width)
	for name, f := range map[string]func(){
		"an odd first vector": func() { Scan(simd.Best(), mask, p, 1, least, p, 0, 2, least) },
		"other dimensions":    func() { Scan(simd.Best(), mask, p, 0, least, q, 0, 2, least) },
		"a short mask":        func() { Scan(simd.Best(), mask[:1:1], p, 0, least, p, 0, 2, least) },
		"too many panels":     func() { Scan(simd.Best(), mask, p, 0, least, p, 0, 3, least) },
		"short bounds":        func() { Scan(simd.Best(), mask, p, 0, least, p, 0, 2, least[:5:5]) },
		"no dimension":        func() { NewPanels(3, 0, 0) },
		"a long prefix":       func() { NewPanels(3, 5, 4) },
		"other prefixes":      func() { Scan(simd.Best(), mask, p, 0, least, NewPanels(50, 3, 1), 0, 2, least) },
		"a vector too many":   func() { p.Set(50, make([]float32, 3), 0, 0) },
		"a short vector":      func() { p.Set(0, make([]float32, 2), 0, 0) },
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
}
