//go:build amd64 && !noasm

package sparse

import (
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
	"unfold/internal/vec"
)

// atEnd returns a copy that ends at the end of accessible memory.
func atEnd[T any](t *testing.T, s []T) []T {
	out := simdtest.AtEnd[T](t, len(s))
	copy(out, s)
	return out
}

// allLengths returns an n x n matrix with rows of 0 to n - 1 entries in random order, all
// its slices at the end of their memory.
func allLengths(t *testing.T, r *rand.Rand, n int) *CSR {
	start, index, data := []int{0}, []int32{}, []float64{}
	for _, length := range r.Perm(n) {
		for range length {
			index, data = append(index, int32(r.IntN(n))), append(data, r.NormFloat64())
		}
		start = append(start, len(index))
	}
	return &CSR{N: n, M: n, Start: atEnd(t, start), Index: atEnd(t, index), Data: atEnd(t, data)}
}

// Every instruction set agrees with plain Go, for rows of 0 to 257 entries in random order, all
// slices at the end of their memory; other rows stay unchanged. A NaN only affects its own rows.
func TestLaplacianMul2(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 258
	c := allLengths(t, r, n)
	x, g := simdtest.AtEnd[[2]float64](t, n), simdtest.AtEnd[float64](t, n)
	for i := range x {
		x[i], g[i] = [2]float64{r.NormFloat64(), r.NormFloat64()}, r.Float64()
	}
	check := func(t *testing.T, l simd.Level, from, to int) {
		t.Helper()
		want, got := make([][2]float64, n), simdtest.AtEnd[[2]float64](t, n)
		for i := range got {
			got[i] = [2]float64{-7, 7}
			want[i] = got[i]
		}
		c.mul2(want, g, x, from, to)
		c.laplacianMul2(l, got, g, x, from, to)
		for i := range got {
			for k := range 2 {
				if math.IsNaN(want[i][k]) != math.IsNaN(got[i][k]) || math.Abs(want[i][k]-got[i][k]) > 1e-12*(1+math.Abs(want[i][k])) {
					t.Fatalf("rows %d..%d, row %d of %d entries, column %d: %v, want %v", from, to, i, c.Start[i+1]-c.Start[i], k, got[i][k], want[i][k])
				}
			}
		}
	}
	for _, l := range simd.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			check(t, l, 0, n)
			for range 50 {
				from := r.IntN(n + 1)
				check(t, l, from, from+r.IntN(n+1-from))
			}
			kept := x[17]
			for _, odd := range simdtest.Odd {
				if !math.IsInf(odd, 0) && math.Abs(odd) < 1e300 || math.IsNaN(odd) {
					x[17] = [2]float64{odd, 1}
					check(t, l, 0, n)
				}
			}
			x[17] = kept
		})
	}
}

// Every instruction set agrees with plain Go for four columns of wider matrices, as in
// TestLaplacianMul2; other columns stay unchanged.
func TestLaplacianMul4(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n = 258
	c := allLengths(t, r, n)
	g := simdtest.Fill(t, n, 0, r.Float64)
	check := func(t *testing.T, l simd.Level, x vec.Matrix[float64], k, from, to int) {
		t.Helper()
		want, got := vec.New[float64](n, x.Cols), vec.Of(n, x.Cols, simdtest.AtEnd[float64](t, n*x.Cols))
		for i := range got.Data {
			got.Data[i] = float64(i)
			want.Data[i] = got.Data[i]
		}
		c.mulBlock4(want, g, x, k, from, to)
		c.laplacianMul4(l, got, g, x, k, from, to)
		for i, v := range got.Data {
			if u := want.Data[i]; math.IsNaN(u) != math.IsNaN(v) || math.Abs(u-v) > 1e-12*(1+math.Abs(u)) {
				t.Fatalf("columns %d.. of %d, rows %d..%d: number %d of row %d is %v, want %v", k, x.Cols, from, to, i%x.Cols, i/x.Cols, v, u)
			}
		}
	}
	for _, l := range simd.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			for _, columns := range []int{4, 5, 9, 16} {
				x := vec.Of(n, columns, simdtest.Fill(t, n*columns, 0, r.NormFloat64))
				for range 10 {
					from := r.IntN(n + 1)
					check(t, l, x, r.IntN(columns-3), from, from+r.IntN(n+1-from))
				}
				check(t, l, x, columns-4, 0, n)
				for _, odd := range simdtest.Odd {
					if !math.IsInf(odd, 0) && math.Abs(odd) < 1e300 || math.IsNaN(odd) {
						x.Row(17)[columns-1] = odd
						check(t, l, x, columns-4, 0, n)
					}
				}
			}
		})
	}
}

func BenchmarkLaplacianMul2(b *testing.B) {
	const n, k = 70_000, 9
	r := rand.New(rand.NewPCG(1, 2))
	start, index, data := []int{0}, []int32{}, []float64{}
	for range n {
		for range 6 + r.IntN(2*(k-6)+1) {
			index, data = append(index, int32(r.IntN(n))), append(data, r.Float64())
		}
		start = append(start, len(index))
	}
	c := &CSR{N: n, M: n, Start: start, Index: index, Data: data}
	dst, x, g := make([][2]float64, n), make([][2]float64, n), make([]float64, n)
	for i := range x {
		x[i], g[i] = [2]float64{r.NormFloat64(), r.NormFloat64()}, r.Float64()
	}
	for _, l := range simd.Levels() {
		b.Run(l.String(), func(b *testing.B) {
			for b.Loop() {
				c.laplacianMul2(l, dst, g, x, 0, n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.NNZ()), "ns/entry")
		})
	}
}
