package tile

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
)

// newBoundsJob returns a job for some vectors and panels with numbers by f. Its lines are longer
// than needed by extra elements, which have canaries.
func newBoundsJob(t testing.TB, rows, panels, depth, extra, shift int, f func() float32) *boundsJob {
	s := &boundsJob{
		stride: panels*Width + extra,
		a:      fill(t, (depth-1)*Width+rows, shift, f),
		aStart: fill(t, rows, shift, f),
		b:      fill(t, panels*depth*Width, shift, f),
		bStart: fill(t, panels*Width, shift, f),
		depth:  depth,
	}
	n := (rows-1)*s.stride + panels*Width
	if s.dst = simdtest.AtEnd[int32](t, n); shift != 0 {
		s.dst = make([]int32, n+1) // one more
	}
	for k := range s.dst {
		s.dst[k] = canary
	}
	return s
}

// canary is a value that is no bound.
const canary = -77

// twin is a copy of a job with an output of its own.
func (s *boundsJob) twin() *boundsJob {
	c := *s
	c.dst = slices.Clone(s.dst)
	return &c
}

// Small integers have no rounding errors: all instruction sets agree bit for bit. Nothing outside
// is read, and only the lines are written.
func TestLowerBoundsOfIntegers(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		rng := rand.New(rand.NewPCG(1, 1))
		for n, depth := range depths(t) {
			for _, rows := range []int{1, Height} {
				for shift, panels := range []int{1, 3, 2} {
					s := newBoundsJob(t, rows, panels, depth, []int{0, 1, 100}[n%3], shift, func() float32 { return float32(rng.IntN(7) - 3) })
					want := s.twin()
					lowerBounds(l, s)
					lowerBoundsGeneric(want)
					if !slices.Equal(s.dst, want.dst) {
						t.Fatalf("%d rows, %d panels, depth %d: %v, want %v", rows, panels, depth, s.dst, want.dst)
					}
				}
			}
		}
	})
}

// For any numbers, the error of a lower bound is within the package comment's limit.
func TestLowerBoundsErrors(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		rng := rand.New(rand.NewPCG(2, 2))
		for _, depth := range depths(t) {
			scale := float32(math.Ldexp(1, rng.IntN(80)-60))
			s := newBoundsJob(t, []int{1, Height}[depth%2], 2, depth, 0, 1, func() float32 { return scale * float32(rng.NormFloat64()) })
			lowerBounds(l, s)
			// Products equal those of a scan.
			as := &scanned{a: s.a, aStart: s.aStart, b: s.b, bStart: s.bStart, depth: depth}
			for r := range s.aStart {
				for c := range s.bStart {
					q, size := product(as, c/Width, r, c%Width)
					u := float64(depth+1) * 0x1p-24
					bound := u/(1-u)*size + float64(depth)*0x1p-149
					got := float64(math.Float32frombits(uint32(s.dst[r*s.stride+c])))
					if want := max(0, -q); !(math.Abs(got-want) <= bound) {
						t.Fatalf("depth %d, row %d, column %d: bound %v, want %v to within %v", depth, r, c, got, want, bound)
					}
				}
			}
		}
	})
}

// Infinities, NaN and denormals give the same results as in plain Go, and NaN becomes 0. Every pair
// has one product, of a small integer.
func TestLowerBoundsOddValues(t *testing.T) {
	odd := []float32{0, float32(math.Copysign(0, -1)), 1, -1, math.SmallestNonzeroFloat32, -0x1p-140, math.MaxFloat32,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	everywhere(t, func(t *testing.T, l simd.Level) {
		rng := rand.New(rand.NewPCG(3, 3))
		for n := range 1000 {
			s := newBoundsJob(t, []int{1, Height}[n%2], 1+n%3, 1, n%2, 1, func() float32 { return odd[rng.IntN(len(odd))] })
			for k := range s.a {
				s.a[k] = float32(rng.IntN(3) - 1)
			}
			want := s.twin()
			lowerBounds(l, s)
			lowerBoundsGeneric(want)
			if !slices.Equal(s.dst, want.dst) {
				t.Fatalf("got %x, want %x", s.dst, want.dst)
			}
			if slices.Min(s.dst[:Width]) < 0 {
				t.Fatalf("a key below zero: %x", s.dst)
			}
		}
	})
}

// LowerBounds and LowerBoundsRow agree, and return +Inf for padding.
func TestLowerBoundsOfPanels(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		const n, dim, extra = 100, 7, 5
		p := NewPanels(n, dim, 3)
		rng := rand.New(rand.NewPCG(4, 4))
		z := make([]float32, dim)
		for i := range n {
			for k := range z {
				z[k] = float32(rng.IntN(5) - 2)
			}
			p.Set(i, z, float32(-rng.IntN(30)), 0)
		}
		stride := 2*Width + extra
		all, one := make([]int32, Height*stride), make([]int32, 2*Width)
		for first := 0; first < n; first += Height {
			LowerBounds(l, all, stride, p, first, p, 1, 3)
			for r := range min(Height, n-first) {
				LowerBoundsRow(l, one, p, first+r, p, 1, 3)
				if !slices.Equal(one, all[r*stride:][:2*Width]) {
					t.Fatalf("vector %d: %v, alone %v", first+r, all[r*stride:][:2*Width], one)
				}
				for c, v := range one {
					if inf := v == int32(math.Float32bits(float32(math.Inf(1)))); inf != (Width+c >= n) {
						t.Fatalf("vector %d of %d has bound %x", Width+c, n, v)
					}
				}
			}
		}
	})
}

func TestLowerBoundsRefuses(t *testing.T) {
	p, q := NewPanels(50, 3, 0), NewPanels(50, 4, 0)
	dst := make([]int32, Height*2*Width)
	for name, f := range map[string]func(){
		"an odd first vector": func() { LowerBounds(simd.Best(), dst, 2*Width, p, 1, p, 0, 2) },
		"other dimensions":    func() { LowerBounds(simd.Best(), dst, 2*Width, p, 0, q, 0, 2) },
		"short lines":         func() { LowerBounds(simd.Best(), dst, Width, p, 0, p, 0, 2) },
		"a short output":      func() { LowerBounds(simd.Best(), dst[:5:5], 2*Width, p, 0, p, 0, 2) },
		"too many panels":     func() { LowerBoundsRow(simd.Best(), dst, p, 0, p, 0, 3) },
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
