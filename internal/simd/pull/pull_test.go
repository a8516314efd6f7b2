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

// atEnd returns a copy that ends at the end of accessible memory.
func atEnd[T any](t testing.TB, s []T) []T {
	out := simdtest.AtEnd[T](t, len(s))
	copy(out, s)
	return out
}

// drawn returns n points whose rows have the given numbers of edges, all slices at the end of
// accessible memory.
func drawn[P Place](t testing.TB, r *rand.Rand, n int, lengths []int) (*Pairs[float32, uint8], *State[P]) {
	start, index, length, number := []int{0}, []int32{}, []float32{}, []uint8{}
	for _, edges := range lengths {
		for range edges {
			index, length, number = append(index, int32(r.IntN(n))), append(length, r.Float32()), append(number, uint8(r.IntN(256)))
		}
		start = append(start, len(index))
	}
	weight, st := make([]float64, 256), &State[P]{Mu: simdtest.AtEnd[P](t, n), Sigma2: simdtest.AtEnd[float64](t, n), Half: 0.5}
	for k := range weight {
		weight[k] = r.Float64()
	}
	for i := range n {
		for k := range len(st.Mu[i]) {
			st.Mu[i][k] = r.NormFloat64()
		}
		st.Sigma2[i] = r.Float64() + 0.01
	}
	return &Pairs[float32, uint8]{atEnd(t, start), atEnd(t, index), atEnd(t, length), atEnd(t, number), atEnd(t, weight)}, st
}

// result has the output of Rows.
type result[P Place] struct {
	w    []float32
	sum  []float64
	grad []P
}

func newResult[P Place](t testing.TB, p *Pairs[float32, uint8]) result[P] {
	n := len(p.Start) - 1
	out := result[P]{simdtest.AtEnd[float32](t, len(p.Index)), simdtest.AtEnd[float64](t, n), simdtest.AtEnd[P](t, n)}
	for i := range n {
		out.sum[i] = -1
		for k := range len(out.grad[i]) {
			out.grad[i][k] = float64(i - k)
		}
	}
	for e := range out.w {
		out.w[e] = -3
	}
	return out
}

// at fills the rows from..to at a level of instructions.
func (o result[P]) at(l simd.Level, p *Pairs[float32, uint8], st *State[P], c float64, from, to int) {
	switch st := any(st).(type) {
	case *State[[2]float64]:
		planeAt(l, p, st, c, o.w, any(o.grad).([][2]float64), o.sum, from, to)
	case *State[[3]float64]:
		spaceAt(l, p, st, c, o.w, any(o.grad).([][3]float64), o.sum, from, to)
	}
}

// finite reports whether a row's results are finite.
func (o result[P]) finite(i int) bool {
	total := o.sum[i]
	for k := range len(o.grad[i]) {
		total += o.grad[i][k]
	}
	return !math.IsNaN(total - total)
}

// byRow sets row i of want by the formula, and returns the sum of magnitudes. Since one bit of
// single precision may differ, its sums use the weights in got.
func byRow[P Place](p *Pairs[float32, uint8], st *State[P], c float64, i int, want, got result[P]) (size float64) {
	g := &want.grad[i]
	for k := range len(*g) {
		(*g)[k] *= c
		size += math.Abs((*g)[k])
	}
	want.sum[i] = 0
	for e := p.Start[i]; e < p.Start[i+1]; e++ {
		j, r2, far := p.Index[e], 0.0, 1.0
		for k := range len(*g) {
			d := st.Mu[i][k] - st.Mu[j][k]
			r2, far = r2+d*d, far+math.Abs(d)
		}
		want.w[e] = float32(p.Weight[p.Number[e]] / (float64(p.Length[e]) + st.Sigma2[i] + st.Sigma2[j] + r2*st.Half))
		v := float64(got.w[e])
		want.sum[i] += v
		size += v * far
		for k := range len(*g) {
			(*g)[k] -= v * (st.Mu[i][k] - st.Mu[j][k])
		}
	}
	return size
}

// Every instruction set agrees with sums by the formula, for rows of 0 to 70 edges in random order;
// other rows stay unchanged.
func TestRows(t *testing.T) {
	t.Run("plane", testRows[[2]float64])
	t.Run("space", testRows[[3]float64])
}

func testRows[P Place](t *testing.T) {
	const n, c = 71, 1.5
	r := rand.New(rand.NewPCG(1, 2))
	p, st := drawn[P](t, r, n, r.Perm(n))
	near := func(a, b, size float64) bool { return math.Abs(a-b) <= 1e-14*(1+size) }
	check := func(t *testing.T, got result[P], from, to int) {
		t.Helper()
		want := newResult[P](t, p)
		for i := from; i < to; i++ {
			size := byRow(p, st, c, i, want, got)
			good := near(got.sum[i], want.sum[i], size)
			for k := range len(want.grad[i]) {
				good = good && near(got.grad[i][k], want.grad[i][k], size)
			}
			if !good {
				t.Fatalf("row %d of %d edges: %v and %v, want %v and %v", i, p.Start[i+1]-p.Start[i], got.sum[i], got.grad[i], want.sum[i], want.grad[i])
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
				got := newResult[P](t, p)
				got.at(l, p, st, c, from, to)
				check(t, got, from, to)
			}
		})
	}
}

// Values that are not finite only affect their own rows.
func TestOddValues(t *testing.T) {
	t.Run("plane", testOddValues[[2]float64])
	t.Run("space", testOddValues[[3]float64])
}

func testOddValues[P Place](t *testing.T) {
	const n, odd = 40, 7
	r := rand.New(rand.NewPCG(3, 4))
	p, st := drawn[P](t, r, n, slices.Repeat([]int{11}, n))
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for name, at := range map[string]*float64{"place": &st.Mu[odd][len(st.Mu[odd])-1], "variance": &st.Sigma2[odd]} {
			kept := *at
			*at = v
			for _, l := range simd.Levels() {
				got := newResult[P](t, p)
				got.at(l, p, st, 1, 0, n)
				for i := range n {
					touched := i == odd || slices.Contains(p.Index[p.Start[i]:p.Start[i+1]], odd)
					if !got.finite(i) && !touched {
						t.Fatalf("%v: %s %v: row %d: %v, %v", l, name, v, i, got.grad[i], got.sum[i])
					}
				}
			}
			*at = kept
		}
	}
}

// An edge has the same weight in both directions, to the last bit, at any place in its row.
func TestSymmetric(t *testing.T) {
	t.Run("plane", testSymmetric[[2]float64])
	t.Run("space", testSymmetric[[3]float64])
}

func testSymmetric[P Place](t *testing.T) {
	const n = 30
	r := rand.New(rand.NewPCG(7, 8))
	p, st := drawn[P](t, r, n, slices.Repeat([]int{n}, n)) // every pair
	for i := range n {
		for j := range n {
			e, f := p.Start[i]+j, p.Start[j]+i
			p.Index[e], p.Length[e], p.Number[e] = int32(j), p.Length[f], p.Number[f]
		}
	}
	for _, l := range simd.Levels() {
		out := newResult[P](t, p)
		out.at(l, p, st, 1, 0, n)
		for i := range n {
			for j := range i {
				if a, b := out.w[i*n+j], out.w[j*n+i]; a != b {
					t.Fatalf("%v: %d to %d weighs %v, back %v", l, i, j, a, b)
				}
			}
		}
	}
}

// Other types use the plain version, with the same results.
func TestTypes(t *testing.T) {
	t.Run("plane", testTypes[[2]float64])
	t.Run("space", testTypes[[3]float64])
}

func testTypes[P Place](t *testing.T) {
	const n = 30
	r := rand.New(rand.NewPCG(5, 6))
	p, st := drawn[P](t, r, n, r.Perm(n))
	long := &Pairs[float64, uint32]{Start: p.Start, Index: p.Index, Weight: p.Weight}
	for e := range p.Index {
		long.Length, long.Number = append(long.Length, float64(p.Length[e])), append(long.Number, uint32(p.Number[e]))
	}
	want, got, w := newResult[P](t, p), newResult[P](t, p), make([]float64, len(p.Index))
	want.at(simd.Generic, p, st, 2, 0, n)
	Rows(long, st, 2, w, got.grad, got.sum, 0, n)
	for e, v := range w {
		if float32(v) != want.w[e] {
			t.Errorf("edge %d: %v, in single precision %v", e, v, want.w[e])
		}
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*(1+math.Abs(b)) }
	for i, v := range want.sum {
		for k := range len(want.grad[i]) {
			if !near(got.sum[i], v) || !near(got.grad[i][k], want.grad[i][k]) {
				t.Errorf("row %d: %v and %v, in single precision %v and %v", i, got.sum[i], got.grad[i], v, want.grad[i])
			}
		}
	}
	if allocs := testing.AllocsPerRun(10, func() {
		Rows(p, st, 2, got.w, got.grad, got.sum, 0, n)
		Rows(long, st, 2, w, got.grad, got.sum, 0, n)
	}); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// BenchmarkRows measures one edge, among points that are partly near in memory.
func BenchmarkRows(b *testing.B) {
	b.Run("plane", benchmarkRows[[2]float64])
	b.Run("space", benchmarkRows[[3]float64])
}

func benchmarkRows[P Place](b *testing.B) {
	const n, edges = 70_000, 18
	r := rand.New(rand.NewPCG(1, 2))
	p, st := drawn[P](b, r, n, slices.Repeat([]int{edges}, n))
	for i := range n {
		for e := p.Start[i]; e < p.Start[i+1]; e++ {
			p.Index[e] = int32(min(max(i+int(300*r.NormFloat64()), 0), n-1))
		}
	}
	out := newResult[P](b, p)
	for _, l := range simd.Levels() {
		b.Run(fmt.Sprint(l), func(b *testing.B) {
			for b.Loop() {
				out.at(l, p, st, 1, 0, n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*edges), "ns/edge")
		})
	}
}
