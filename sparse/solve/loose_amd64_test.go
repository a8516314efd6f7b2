//go:build amd64 && !noasm

package solve

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
	"unfold/sparse"
)

// drawnLoose is a matrix with rows of 0 to 69 entries in random order and vectors, all slices at the end
// of their memory.
func drawnLoose(t *testing.T, n int, r *rand.Rand) (*loose, *Laplacian) {
	start, index, value := []int{0}, []int32{}, []float32{}
	for i := range n {
		for range i * 37 % 70 {
			index, value = append(index, int32(r.IntN(n))), append(value, r.Float32())
		}
		start = append(start, len(index))
	}
	pattern := &sparse.CSR{N: n, M: n, Start: atEnd(t, start, 0), Index: atEnd(t, index, 0)}
	s := newLoose(n)
	column := func() [][2]float32 {
		x := simdtest.AtEnd[[2]float32](t, n)
		for i := range x {
			x[i] = [2]float32{float32(r.NormFloat64()), float32(r.NormFloat64())}
		}
		return x
	}
	s.y, s.r, s.p, s.q, s.diagonal = column(), column(), column(), column(), simdtest.AtEnd[float32](t, n)
	for i := range s.diagonal {
		s.diagonal[i] = float32(40 * math.Exp(r.NormFloat64()))
	}
	return s, &Laplacian{W: pattern, Single: atEnd(t, value, 0)}
}

// copied returns s with vectors of its own.
func (s *loose) copied() *loose {
	out := *s
	for _, v := range []*[][2]float32{&out.y, &out.r, &out.p, &out.q} {
		*v = slices.Clone(*v)
	}
	return &out
}

// Every level does what the plain versions do, but for the order of sums, and leaves other rows.
func TestLooseKernels(t *testing.T) {
	const n = 701
	r := rand.New(rand.NewPCG(1, 2))
	given, a := drawnLoose(t, n, r)
	factors := [4]float32{0.3, -1.5, 0.7, 2}
	compare := func(t *testing.T, what string, from, to int, want, got [][2]float32, size float64) {
		t.Helper()
		for i := range want {
			for k := range 2 {
				if (i < from || i >= to) && want[i][k] != got[i][k] || !near(want[i][k], got[i][k], size) {
					t.Fatalf("rows %d..%d: %s of row %d: %v, want %v", from, to, what, i, got[i], want[i])
				}
			}
		}
	}
	for _, l := range simd.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			for k := range 60 {
				from, to := 0, n
				if k > 0 {
					from = r.IntN(n + 1)
					to = from + r.IntN(n+1-from)
				}
				var wantSums, sums [4]float32
				want, got := given.copied(), given.copied()
				want.mulPlain(a, from, to, &wantSums)
				got.mul(l, a, from, to, &sums)
				compare(t, "q", from, to, want.q, got.q, 400)
				for k := range sums {
					if !near(sums[k], wantSums[k], 1e5*float64(to-from+1)) {
						t.Fatalf("product of rows %d..%d: sums %v, want %v", from, to, sums, wantSums)
					}
				}
				want, got = given.copied(), given.copied()
				want.stepPlain(&factors, from, to, &wantSums)
				got.step(l, &factors, from, to, &sums)
				compare(t, "y", from, to, want.y, got.y, 10)
				compare(t, "r", from, to, want.r, got.r, 10)
				compare(t, "p", from, to, want.p, got.p, 10)
				for k := range sums {
					if !near(sums[k], wantSums[k], 100*float64(to-from+1)) {
						t.Fatalf("step of rows %d..%d: sums %v, want %v", from, to, sums, wantSums)
					}
				}
			}
		})
	}
}

func BenchmarkLooseProduct(b *testing.B) {
	const n, edges = 70_000, 18
	r := rand.New(rand.NewPCG(1, 2))
	a := &Laplacian{W: &sparse.CSR{N: n, M: n, Start: []int{0}}}
	for i := range n {
		for range edges {
			a.W.Index = append(a.W.Index, int32(min(max(i+int(300*r.NormFloat64()), 0), n-1)))
			a.Single = append(a.Single, r.Float32())
		}
		a.W.Start = append(a.W.Start, len(a.W.Index))
	}
	s := newLoose(n)
	for i := range n {
		s.p[i], s.diagonal[i] = [2]float32{r.Float32(), r.Float32()}, 20
	}
	for _, l := range simd.Levels() {
		b.Run(l.String(), func(b *testing.B) {
			var sums [4]float32
			for b.Loop() {
				s.mul(l, a, 0, n, &sums)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*edges), "ns/entry")
		})
	}
}
