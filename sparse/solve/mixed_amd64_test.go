//go:build amd64 && !noasm

package solve

import (
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
	"unfold/sparse"
)

func TestGenerated(t *testing.T) { simdtest.Generated(t, "solve") }

// atEnd returns a copy followed by room readable elements, and then by inaccessible memory.
func atEnd[T any](t *testing.T, s []T, room int) []T {
	out := simdtest.AtEnd[T](t, len(s)+room)
	copy(out, s)
	return out[:len(s)]
}

// near reports whether two float32 values differ at most by the order of sums of terms of the given
// size.
func near(u, v float32, size float64) bool {
	return math.IsNaN(float64(u)) && math.IsNaN(float64(v)) || u == v || math.Abs(float64(u)-float64(v)) <= 1e-5*size
}

// randomSliced returns a matrix with rows of 0 to 257 entries in random order, all
// slices at the end of their memory.
func randomSliced(t *testing.T, n int, r *rand.Rand) (*sliced, *Laplacian) {
	start, index, data := []int{0}, []int32{}, []float64{}
	for i := range n {
		for range i * 37 % 258 {
			index, data = append(index, int32(r.IntN(n))), append(data, r.Float64())
		}
		start = append(start, len(index))
	}
	a := &Laplacian{W: &sparse.CSR{N: n, M: n, Start: start, Index: index, Data: data}, Diagonal: make([]float64, n)}
	for i := range a.Diagonal {
		a.Diagonal[i] = math.Exp(r.NormFloat64())
	}
	m := newSliced(n)
	for from := 0; from < n; from += piece {
		if !m.sort(a, from, min(n, from+piece)) {
			t.Fatal("moderate diagonals are called unfit")
		}
	}
	m.place()
	for from := 0; from < n; from += piece {
		m.fill(a, from, min(n, from+piece))
	}
	m.start, m.index = atEnd(t, m.start, 0), atEnd(t, m.index, 0)
	m.value = simdtest.AtEnd[float32](t, len(m.value)) // beyond is part of it
	for from := 0; from < n; from += piece {
		m.fill(a, from, min(n, from+piece))
	}
	return m, a
}

// Every instruction set agrees with the definition, and other slices stay unchanged.
func TestSlicedMul(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = piece + 261
	m, a := randomSliced(t, n, r)
	slices := len(m.start) - 1
	p := simdtest.AtEnd[float32](t, 2*slice*slices)
	for i := range 2 * n {
		p[i] = float32(r.NormFloat64())
	}
	check := func(t *testing.T, l simd.Level, from, to int) {
		t.Helper()
		q := simdtest.AtEnd[float32](t, len(p))
		for i := range q {
			q[i] = -7
		}
		var got, want [4 * slice]float32
		var size [4 * slice]float64
		m.mulLevel(l, q, p, from, to, &got)
		for k := range n {
			if k/slice < from || k/slice >= to {
				if q[2*k] != -7 || q[2*k+1] != -7 {
					t.Fatalf("slices %d..%d: row %d is touched", from, to, k)
				}
				continue
			}
			i := m.order[k]
			index, w := a.W.Row(int(i))
			for c := range 2 {
				sum, terms := float64(p[2*k+c]), 1.
				for e, j := range index {
					v := w[e] / math.Sqrt(a.Diagonal[i]*a.Diagonal[j]) * float64(p[2*int(m.spots[j].place)+c])
					sum -= v
					terms += math.Abs(v)
				}
				if u := q[2*k+c]; !near(u, float32(sum), terms) {
					t.Fatalf("slices %d..%d: row %d of %d entries: %v, want %v", from, to, k, len(index), u, sum)
				}
				at := 2*(k%slice) + c
				for s, u := range []float32{p[2*k+c], q[2*k+c]} {
					want[2*slice*s+at] += u * q[2*k+c]
					size[2*slice*s+at] += math.Abs(float64(u * q[2*k+c]))
				}
			}
		}
		for k := range got {
			if !near(got[k], want[k], size[k]) {
				t.Fatalf("slices %d..%d: sum %d is %v, want %v", from, to, k, got[k], want[k])
			}
		}
	}
	for _, l := range simd.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			check(t, l, 0, slices)
			for range 20 {
				from := r.IntN(slices + 1)
				check(t, l, from, from+r.IntN(slices+1-from))
			}
			for _, odd := range []float32{float32(math.NaN()), 1e-45, -1e-39, 1e30} {
				kept := p[34]
				p[34] = odd
				check(t, l, 0, 40) // sums of 1e30 squared are infinite in both
				p[34] = kept
			}
		})
	}
}

// Every instruction set agrees with the portable version for 0 to 40 slices.
func TestSingleStep(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	draw := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		return v
	}
	for _, l := range simd.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			for slices := range 41 {
				n := slice * slices
				var want, got [4][]float32
				for k := range want {
					want[k] = draw(2 * n)
					if n > 0 {
						want[k][r.IntN(n)] = []float32{float32(math.NaN()), 1e-45, -1e-39, float32(math.Inf(1))}[slices%4]
					}
					got[k] = atEnd(t, want[k], 0)
				}
				weight := atEnd(t, draw(n), beyond)
				factors := [4]float32{.5, -2, 3, .25}
				var sums, wanted [4 * slice]float32
				q := append([]float32(nil), got[3]...)
				singleStep(want[0], want[1], want[2], want[3], weight, &factors, &wanted)
				singleStepLevel(l, got[0], got[1], got[2], got[3], weight, &factors, &sums)
				for k := range want {
					for i, v := range want[k] {
						if !near(got[k][i], v, 20) {
							t.Fatalf("%d slices, vector %d, entry %d: %v, want %v", slices, k, i, got[k][i], v)
						}
					}
				}
				for i, v := range q {
					if !near(got[3][i], v, 0) {
						t.Fatalf("%d slices: q is written to", slices)
					}
				}
				for k, v := range wanted {
					if !near(sums[k], v, 1e3) {
						t.Fatalf("%d slices: sum %d is %v, want %v", slices, k, sums[k], v)
					}
				}
			}
		})
	}
}

func BenchmarkSlicedMul(b *testing.B) {
	const n = 70_000
	r := rand.New(rand.NewPCG(1, 2))
	start, index, data := []int{0}, []int32{}, []float64{}
	for range n {
		for range 6 + r.IntN(7) {
			index, data = append(index, int32(r.IntN(n))), append(data, r.Float64())
		}
		start = append(start, len(index))
	}
	a := &Laplacian{W: &sparse.CSR{N: n, M: n, Start: start, Index: index, Data: data}, Diagonal: make([]float64, n)}
	for i := range a.Diagonal {
		a.Diagonal[i] = 9
	}
	x := newMixed(n, (n+piece-1)/piece, 1e-8)
	m := x.matrix
	for from := 0; from < n; from += piece {
		m.sort(a, from, min(n, from+piece))
	}
	m.place()
	m.fill(a, 0, n)
	for i := range 2 * n {
		x.p[i] = float32(r.NormFloat64())
	}
	var sums [4 * slice]float32
	for _, l := range simd.Levels() {
		b.Run(l.String(), func(b *testing.B) {
			for b.Loop() {
				m.mulLevel(l, x.q, x.p, 0, len(m.start)-1, &sums)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(data)), "ns/entry")
		})
	}
}
