package pull

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
)

// atEnd returns a copy beyond whose end is no memory.
func atEnd[T any](t testing.TB, s []T) []T {
	out := simdtest.AtEnd[T](t, len(s))
	copy(out, s)
	return out
}

// drawn are n points with rows of the given numbers of edges, all slices at the end of their memory.
func drawn(t testing.TB, r *rand.Rand, n int, lengths []int) (*Pairs[float32, uint8], *State) {
	start, index, length, number := []int{0}, []int32{}, []float32{}, []uint8{}
	for _, edges := range lengths {
		for range edges {
			index, length, number = append(index, int32(r.IntN(n))), append(length, r.Float32()), append(number, uint8(r.IntN(256)))
		}
		start = append(start, len(index))
	}
	weight, st := make([]float64, 256), &State{Mu: simdtest.AtEnd[[2]float64](t, n), Sigma2: simdtest.AtEnd[float64](t, n), Half: 0.5}
	for k := range weight {
		weight[k] = r.Float64()
	}
	for i := range n {
		st.Mu[i], st.Sigma2[i] = [2]float64{r.NormFloat64(), r.NormFloat64()}, r.Float64()+0.01
	}
	return &Pairs[float32, uint8]{atEnd(t, start), atEnd(t, index), atEnd(t, length), atEnd(t, number), atEnd(t, weight)}, st
}

// result is what Rows fills.
type result struct {
	w    []float32
	sum  []float64
	grad [][2]float64
}

func newResult(t testing.TB, p *Pairs[float32, uint8]) result {
	n := len(p.Start) - 1
	out := result{simdtest.AtEnd[float32](t, len(p.Index)), simdtest.AtEnd[float64](t, n), simdtest.AtEnd[[2]float64](t, n)}
	for i := range n {
		out.sum[i], out.grad[i] = -1, [2]float64{float64(i), -2}
	}
	for e := range out.w {
		out.w[e] = -3
	}
	return out
}

// TestRows compares every level with sums by the formula, for rows of 0 to 70 edges in random order;
// what is not asked for stays.
func TestRows(t *testing.T) {
	const n, c = 71, 1.5
	r := rand.New(rand.NewPCG(1, 2))
	p, st := drawn(t, r, n, r.Perm(n))
	near := func(a, b, size float64) bool { return math.Abs(a-b) <= 1e-14*(1+size) }
	check := func(t *testing.T, got result, from, to int) {
		t.Helper()
		want := newResult(t, p)
		for i := from; i < to; i++ {
			g := [2]float64{c * want.grad[i][0], c * want.grad[i][1]}
			total, size := 0.0, math.Abs(g[0])+math.Abs(g[1])
			for e := p.Start[i]; e < p.Start[i+1]; e++ {
				j := p.Index[e]
				d := [2]float64{st.Mu[i][0] - st.Mu[j][0], st.Mu[i][1] - st.Mu[j][1]}
				want.w[e] = float32(p.Weight[p.Number[e]] / (float64(p.Length[e]) + st.Sigma2[i] + st.Sigma2[j] + (d[0]*d[0]+d[1]*d[1])*st.Half))
				v := float64(got.w[e]) // one bit of single precision may differ
				total += v
				g[0], g[1], size = g[0]-v*d[0], g[1]-v*d[1], size+v*(1+math.Abs(d[0])+math.Abs(d[1]))
			}
			if !near(got.sum[i], total, size) || !near(got.grad[i][0], g[0], size) || !near(got.grad[i][1], g[1], size) {
				t.Fatalf("row %d of %d edges: %v and %v, want %v and %v", i, p.Start[i+1]-p.Start[i], got.sum[i], got.grad[i], total, g)
			}
			want.sum[i], want.grad[i] = got.sum[i], got.grad[i]
		}
		if !slices.Equal(got.sum, want.sum) || !slices.Equal(got.grad, want.grad) {
			t.Fatalf("rows %d..%d: others were changed", from, to)
		}
		for e, v := range want.w {
			if math.Abs(float64(got.w[e]-v)) > 1e-7*math.Abs(float64(v)) {
				t.Fatalf("edge %d: %v, want %v", e, got.w[e], v)
			}
		}
	}
	for _, l := range simd.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			for k := range 50 {
				from, to := 0, n
				if k > 0 {
					from = r.IntN(n + 1)
					to = from + r.IntN(n+1-from)
				}
				got := newResult(t, p)
				rowsAt(l, p, st, c, got.w, got.grad, got.sum, from, to)
				check(t, got, from, to)
			}
		})
	}
}

// Values that are not finite stay in the rows that they are in.
func TestOddValues(t *testing.T) {
	const n, odd = 40, 7
	r := rand.New(rand.NewPCG(3, 4))
	p, st := drawn(t, r, n, slices.Repeat([]int{11}, n))
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for name, at := range map[string]*float64{"place": &st.Mu[odd][1], "variance": &st.Sigma2[odd]} {
			kept := *at
			*at = v
			for _, l := range simd.Levels() {
				got := newResult(t, p)
				rowsAt(l, p, st, 1, got.w, got.grad, got.sum, 0, n)
				for i := range n {
					touched := i == odd || slices.Contains(p.Index[p.Start[i]:p.Start[i+1]], odd)
					if finite := !math.IsNaN(got.grad[i][1] - got.grad[i][1] + got.sum[i] - got.sum[i]); !finite && !touched {
						t.Fatalf("%v: %s %v: row %d: %v, %v", l, name, v, i, got.grad[i], got.sum[i])
					}
				}
			}
			*at = kept
		}
	}
}

// An edge weighs the same in both directions, to the last bit, wherever it is in its row.
func TestSymmetric(t *testing.T) {
	const n = 30
	r := rand.New(rand.NewPCG(7, 8))
	p, st := drawn(t, r, n, slices.Repeat([]int{n}, n)) // every pair
	for i := range n {
		for j := range n {
			e, f := p.Start[i]+j, p.Start[j]+i
			p.Index[e], p.Length[e], p.Number[e] = int32(j), p.Length[f], p.Number[f]
		}
	}
	for _, l := range simd.Levels() {
		out := newResult(t, p)
		rowsAt(l, p, st, 1, out.w, out.grad, out.sum, 0, n)
		for i := range n {
			for j := range i {
				if a, b := out.w[i*n+j], out.w[j*n+i]; a != b {
					t.Fatalf("%v: %d to %d weighs %v, back %v", l, i, j, a, b)
				}
			}
		}
	}
}

// Other types have the plain version, which does the same.
func TestTypes(t *testing.T) {
	const n = 30
	r := rand.New(rand.NewPCG(5, 6))
	p, st := drawn(t, r, n, r.Perm(n))
	long := &Pairs[float64, uint32]{Start: p.Start, Index: p.Index, Weight: p.Weight}
	for e := range p.Index {
		long.Length, long.Number = append(long.Length, float64(p.Length[e])), append(long.Number, uint32(p.Number[e]))
	}
	want, got, w := newResult(t, p), newResult(t, p), make([]float64, len(p.Index))
	rowsAt(simd.Generic, p, st, 2, want.w, want.grad, want.sum, 0, n)
	long.Rows(st, 2, w, got.grad, got.sum, 0, n)
	for e, v := range w {
		if float32(v) != want.w[e] {
			t.Errorf("edge %d: %v, in single precision %v", e, v, want.w[e])
		}
	}
	for i, v := range want.sum {
		if math.Abs(got.sum[i]-v) > 1e-6*v || math.Abs(got.grad[i][0]-want.grad[i][0]) > 1e-6*(1+math.Abs(want.grad[i][0])) {
			t.Errorf("row %d: %v and %v, in single precision %v and %v", i, got.sum[i], got.grad[i], v, want.grad[i])
		}
	}
	if allocs := testing.AllocsPerRun(10, func() {
		p.Rows(st, 2, got.w, got.grad, got.sum, 0, n)
		long.Rows(st, 2, w, got.grad, got.sum, 0, n)
	}); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// BenchmarkRows gives the time of an edge, among points of which some lie near in memory.
func BenchmarkRows(b *testing.B) {
	const n, edges = 70_000, 18
	r := rand.New(rand.NewPCG(1, 2))
	p, st := drawn(b, r, n, slices.Repeat([]int{edges}, n))
	for i := range n {
		for e := p.Start[i]; e < p.Start[i+1]; e++ {
			p.Index[e] = int32(min(max(i+int(300*r.NormFloat64()), 0), n-1))
		}
	}
	out := newResult(b, p)
	for _, l := range simd.Levels() {
		b.Run(fmt.Sprint(l), func(b *testing.B) {
			for b.Loop() {
				rowsAt(l, p, st, 1, out.w, out.grad, out.sum, 0, n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*edges), "ns/edge")
		})
	}
}
