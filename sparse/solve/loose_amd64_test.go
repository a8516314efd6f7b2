//go:build amd64 && !noasm

package solve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
	"unfold/internal/vec"
	"unfold/sparse"
)

// drawnLoose returns a matrix with rows of 0 to 69 entries in random order, the first ones of 0 to
// 2, and vectors, all slices at the end of their memory.
func drawnLoose(t *testing.T, n, d int, r *rand.Rand) (*loose, *Laplacian) {
	start, index, value := []int{0}, []int32{}, []float32{}
	for i := range n {
		entries := i * 37 % 70
		if i < 3 {
			entries = i
		}
		for range entries {
			index, value = append(index, int32(r.IntN(n))), append(value, r.Float32())
		}
		start = append(start, len(index))
	}
	pattern := &sparse.CSR{N: n, M: n, Start: atEnd(t, start, 0), Index: atEnd(t, index, 0)}
	s := newLoose(n, d)
	for _, v := range s.vectors() {
		v.Data = simdtest.AtEnd[float32](t, len(v.Data))
		for i := range n {
			for k := range d {
				v.Row(i)[k] = float32(r.NormFloat64())
			}
		}
	}
	s.diagonal = simdtest.AtEnd[float32](t, n)
	for i := range s.diagonal {
		s.diagonal[i] = float32(40 * math.Exp(r.NormFloat64()))
	}
	return s, &Laplacian{W: pattern, Single: atEnd(t, value, 0)}
}

// vectors are y, r, p and q.
func (s *loose) vectors() []*vec.Matrix[float32] {
	return []*vec.Matrix[float32]{&s.y, &s.r, &s.p, &s.q}
}

// copied returns s with copied vectors and the given instruction set.
func (s *loose) copied(l simd.Level) *loose {
	out := *s
	out.level = l
	for _, v := range out.vectors() {
		*v = v.Clone()
	}
	return &out
}

// Every instruction set agrees with the plain versions up to the order of sums, and leaves other
// rows unchanged.
func TestLooseKernels(t *testing.T) {
	for _, d := range []int{2, 3} {
		for _, l := range simd.Levels() {
			t.Run(fmt.Sprintf("%d columns, %v", d, l), func(t *testing.T) { testLooseKernels(t, d, l) })
		}
	}
}

func testLooseKernels(t *testing.T, d int, l simd.Level) {
	const n = 701
	r := rand.New(rand.NewPCG(1, 2))
	given, a := drawnLoose(t, n, d, r)
	factors := looseFactors{0.3, -1.5, 0.7, 2}
	if d == 3 {
		factors = looseFactors{0.3, -1.5, 0.7, 0, 2, 1.1, -0.4, 0}
	}
	compare := func(what string, from, to int, want, got vec.Matrix[float32], size float64) {
		t.Helper()
		for i := range want.Rows {
			for k, v := range want.Row(i) {
				u := got.Row(i)[k]
				if (i < from || i >= to || k >= d) && v != u || !near(v, u, size) {
					t.Fatalf("rows %d..%d: %s of row %d: %v, want %v", from, to, what, i, got.Row(i), want.Row(i))
				}
			}
		}
	}
	compareSums := func(what string, from, to int, want, got looseSums, size float64) {
		t.Helper()
		for k := range got {
			if !near(got[k], want[k], size*float64(to-from+1)) {
				t.Fatalf("%s of rows %d..%d: sums %v, want %v", what, from, to, got, want)
			}
		}
	}
	for k := range 60 {
		from, to := 0, n
		if k > 0 {
			from = r.IntN(n + 1)
			to = from + r.IntN(n+1-from)
		}
		var wantSums, sums looseSums
		want, got := given.copied(simd.Generic), given.copied(l)
		want.mulPlain(a, from, to, &wantSums)
		got.mul(a, from, to, &sums)
		compare("q", from, to, want.q, got.q, 400)
		compareSums("product", from, to, wantSums, sums, 1e5)
		want, got = given.copied(simd.Generic), given.copied(l)
		want.stepPlain(&factors, from, to, &wantSums)
		got.step(&factors, from, to, &sums)
		compare("y", from, to, want.y, got.y, 10)
		compare("r", from, to, want.r, got.r, 10)
		compare("p", from, to, want.p, got.p, 10)
		compareSums("step", from, to, wantSums, sums, 100)
	}
}

// BenchmarkLooseProduct measures the time of an entry, for rows that are close in memory.
func BenchmarkLooseProduct(b *testing.B) {
	const n = 70_000
	r := rand.New(rand.NewPCG(1, 2))
	a := &Laplacian{W: &sparse.CSR{N: n, M: n, Start: []int{0}}}
	for i := range n {
		for range 8 + int(8*r.ExpFloat64()) {
			a.W.Index = append(a.W.Index, int32(min(max(i+int(300*r.NormFloat64()), 0), n-1)))
			a.Single = append(a.Single, r.Float32())
		}
		a.W.Start = append(a.W.Start, len(a.W.Index))
	}
	for _, d := range []int{2, 3} {
		s := newLoose(n, d)
		for i := range n {
			s.diagonal[i] = 20
			for k := range d {
				s.p.Row(i)[k] = r.Float32()
			}
		}
		for _, l := range simd.Levels() {
			b.Run(fmt.Sprintf("%d columns, %v", d, l), func(b *testing.B) {
				s.level = l
				var sums looseSums
				for b.Loop() {
					s.mul(a, 0, n, &sums)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(a.Single)), "ns/entry")
			})
		}
	}
}
