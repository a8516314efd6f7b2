package sq8

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd"
	"unfold/internal/vec"
)

// A score plus the base is the squared distance of the codes, which are the rounded elements, with
// every instruction set.
func TestScores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n, dim := rapid.IntRange(2, 70).Draw(t, "n"), rapid.IntRange(1, 70).Draw(t, "dim")
		size := math.Pow(10, rapid.Float64Range(-30, 30).Draw(t, "exponent"))
		x := vec.New[float32](n, dim)
		for i := range x.Data {
			x.Data[i] = float32(size * (3 + r.NormFloat64()))
		}
		s := NewScale(x)
		if s == nil {
			t.Fatal("no scale")
		}
		panels := coded(s, x)
		q := make([]float32, dim)
		for k := range q {
			q[k] = float32(size * (3 + r.NormFloat64()))
		}
		var query Query
		if !query.Set(s, q) {
			return
		}
		round := func(v float32, k int) int32 {
			return int32(math.RoundToEven(float64((v - s.center[k]) * (1 / s.step))))
		}
		for _, l := range simd.Levels() {
			for i, score := range rowScores(t, l, panels, &query, n) {
				var want int32
				for k, v := range x.Row(i) {
					d := round(v, k) - round(q[k], k)
					want += d * d
				}
				if score+query.Base != want {
					t.Fatalf("%v: row %d is at %d, want %d", l, i, score+query.Base, want)
				}
			}
		}
	})
}

// coded are the codes of rows.
func coded(s *Scale, x vec.Matrix[float32]) *Panels {
	panels, code := s.NewPanels((x.Rows+Side-1)/Side), make([]int8, s.Width())
	for i := range x.Rows {
		s.Row(code, x.Row(i))
		panels.Set(i, code)
	}
	return panels
}

// rowScores returns the scores of n rows, followed by places without a row.
func rowScores(t *rapid.T, l simd.Level, panels *Panels, q *Query, n int) []int32 {
	out := make([]int32, len(panels.norm))
	panels.scoresAt(l, out, q, 0, panels.Len())
	for i, score := range out[n:] {
		if score < Nowhere {
			t.Fatalf("%v: place %d without a row has score %d", l, n+i, score)
		}
	}
	return out[:n]
}

// However far a query is, its coarser code has its direction to half a step, and scores are as
// documented for SetFar, with every instruction set.
func TestFar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n, dim := rapid.IntRange(2, 40).Draw(t, "n"), rapid.IntRange(1, 40).Draw(t, "dim")
		x := vec.New[float32](n, dim)
		for i := range x.Data {
			x.Data[i] = float32(5 + r.NormFloat64())
		}
		s := NewScale(x)
		panels, code := coded(s, x), make([]int8, s.Width())
		far := make([]float32, dim)
		size := math.Pow(10, rapid.Float64Range(0, 38).Draw(t, "exponent"))
		for k := range far {
			far[k] = float32(max(-math.MaxFloat32, min(math.MaxFloat32, size*r.NormFloat64())))
		}
		var q Query
		if q.Set(s, far) {
			return
		}
		q.SetFar(s, far)
		steps, widest := math.Ldexp(float64(s.step), int(q.shift)), int8(0)
		for k, c := range q.code[:dim] {
			widest = max(widest, c, -c)
			if off := math.Abs(float64(c)*steps - (float64(far[k]) - float64(s.center[k]))); off > 0.5001*steps {
				t.Fatalf("column %d: code %d of %v is off by %v steps of %v", k, c, far[k], off/steps, steps)
			}
		}
		if widest < mostQuery/2 {
			t.Errorf("the largest element of the code is %d", widest)
		}
		for _, l := range simd.Levels() {
			for i, score := range rowScores(t, l, panels, &q, n) {
				s.Row(code, x.Row(i))
				want, norm := int32(0), int32(0)
				for k, c := range code {
					norm += int32(c) * int32(c)
					want -= 2 * int32(q.code[k]) * (int32(c) + int32(s.reach[k]))
				}
				if want += norm >> q.shift; score != want || score+q.Base < 0 {
					t.Fatalf("%v: row %d has score %d, want %d, at least %d", l, i, score, want, -q.Base)
				}
			}
		}
	})
}

// The query of a row's code has the same scores as the row itself as a query, with every
// instruction set.
func TestRowQuery(t *testing.T) {
	const n, dim = 50, 30
	r := rand.New(rand.NewPCG(7, 8))
	x := vec.New[float32](n, dim)
	for i := range x.Data {
		x.Data[i] = float32(r.NormFloat64())
	}
	s := NewScale(x)
	panels, code := coded(s, x), make([]int8, s.Width())
	var own Query
	want, got := make([]int32, panels.Len()*Side), make([]int32, panels.Len()*Side)
	for i := range n {
		s.Row(code, x.Row(i))
		q := s.RowQuery(code)
		if !own.Set(s, x.Row(i)) {
			t.Fatalf("row %d has no code", i)
		}
		for _, l := range simd.Levels() {
			panels.scoresAt(l, want, &own, 0, panels.Len())
			panels.scoresAt(l, got, &q, 0, panels.Len())
			if !slices.Equal(got, want) {
				t.Fatalf("%v: row %d: %v, want %v", l, i, got, want)
			}
		}
	}
}

// Every instruction set agrees with plain Go, for all widths, numbers of panels and the largest
// codes. It writes only its output and reads only its input.
func TestKernelsAgreeWithTwin(t *testing.T) {
	const canary = -77
	rng := rand.New(rand.NewPCG(1, 2))
	eachKernel(func(l simd.Level) {
		for width := group; width <= 257; width += group {
			n := rng.IntN(6)
			p := &Panels{reach: slices.Repeat([]uint8{most}, width), data: make([]uint8, 6*width*Side), norm: make([]int32, 6*Side)}
			code := make([]int8, width)
			for i := range p.data {
				if p.data[i] = uint8(rng.IntN(2*most + 1)); width%8 == 0 {
					p.data[i] = 2 * most
				}
			}
			for i := range code {
				if code[i] = int8(rng.IntN(255) - 127); width%8 == 0 {
					code[i] = -127
				}
			}
			for i := range p.norm {
				p.norm[i] = rng.Int32N(1 << 30)
			}
			from := rng.IntN(6 - n + 1)
			got, want := slices.Repeat([]int32{canary}, n*Side+2), make([]int32, n*Side)
			p.scoresAt(l, got[1:len(got)-1], queryOf(code, p.reach), from, n)
			scoresTwin(want, code, p.data[from*p.size():], p.norm[from*Side:], n)
			if got[0] != canary || got[len(got)-1] != canary || !slices.Equal(got[1:len(got)-1], want) {
				t.Fatalf("%v: width %d, %d panels: %v, want %v", l, width, n, got, want)
			}
		}
	})
}

// queryOf is a query of a code for rows of such a reach.
func queryOf(code []int8, reach []uint8) *Query {
	return &Query{code: code, runs: runsTwin(nil, code, reach)}
}

// Runs contain all groups once, and the sums of a run fit in 16 bits for any row.
func TestRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.IntRange(1, 600).Draw(t, "groups")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		size, reach := rapid.IntRange(0, mostQuery).Draw(t, "size"), make([]uint8, groups*group)
		code := make([]int8, groups*group)
		for k := range code {
			code[k], reach[k] = int8(r.IntN(2*size+1)-size), uint8(r.IntN(most+1))
		}
		want := runsTwin(nil, code, reach)
		for _, l := range simd.Levels() {
			if got := runs(l, make([]uint8, 0, groups), code, reach); !slices.Equal(got, want) {
				t.Fatalf("%v: runs %v, want %v", l, got, want)
			}
		}
		at := 0
		for n, length := range want {
			if length == 0 {
				t.Fatalf("run %d has no groups", n)
			}
			for pair := range 2 {
				low, high := 0, 0
				for k := at; k < at+int(length)*group; k++ {
					if k%group/2 == pair {
						product := 2 * int(reach[k]) * int(code[k])
						low, high = low+min(product, 0), high+max(product, 0)
					}
				}
				if low < math.MinInt16 || high > math.MaxInt16 {
					t.Fatalf("run %d of %d groups comes to %d..%d", n, length, low, high)
				}
			}
			at += int(length) * group
		}
		if at != len(code) {
			t.Fatalf("runs of %d columns, want %d", at, len(code))
		}
	})
}

// Every instruction set gives a query the same code as plain Go, and refuses the same ones.
func TestCodesAgreeWithTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		dim := rapid.IntRange(1, 70).Draw(t, "dim")
		x, q := vec.New[float32](20, dim), make([]float32, dim)
		for i := range x.Data {
			x.Data[i] = float32(r.NormFloat64())
		}
		size := rapid.SampledFrom([]float64{1, 2.2, 40}).Draw(t, "size")
		for k := range q {
			q[k] = float32(size * r.NormFloat64())
		}
		if size == 40 {
			q[r.IntN(dim)] = rapid.SampledFrom([]float32{float32(math.Inf(-1)), float32(math.NaN()), math.MaxFloat32}).Draw(t, "value")
		}
		s := NewScale(x)
		var want Query
		ok := want.setAt(simd.Generic, s, q)
		for _, l := range simd.Levels() {
			var got Query
			if also := got.setAt(l, s, q); also != ok {
				t.Fatalf("%v: a code %v, want %v", l, also, ok)
			}
			if ok && (got.Base != want.Base || !slices.Equal(got.code, want.code) || !slices.Equal(got.runs, want.runs)) {
				t.Fatalf("%v: base %d, code %v, runs %v, want %d, %v, %v", l, got.Base, got.code, got.runs, want.Base, want.code, want.runs)
			}
		}
	})
}

// Vectors that cannot have codes are reported.
func TestRefusals(t *testing.T) {
	inf := float32(math.Inf(1))
	for name, x := range map[string]vec.Matrix[float32]{
		"no rows":    vec.New[float32](0, 3),
		"no columns": vec.New[float32](3, 0),
		"too many":   vec.New[float32](2, MostDim+1),
		"equal":      vec.Of(2, 2, []float32{1, 2, 1, 2}),
		"denormals":  vec.Of(2, 1, []float32{0, math.SmallestNonzeroFloat32}),
		"too large":  vec.Of(2, 1, []float32{-inf, inf}),
		"no numbers": vec.Of(2, 1, []float32{inf - inf, inf - inf}),
	} {
		if NewScale(x) != nil {
			t.Errorf("%s: a scale", name)
		}
	}
	s := NewScale(vec.Of(2, 2, []float32{-1, -1, 1, 1}))
	var q Query
	for _, v := range []float32{2.5, -2.5, 1e30, math.MaxFloat32, inf, -inf, inf - inf} {
		if q.Set(s, []float32{0, v}) {
			t.Errorf("%v has a code", v)
		}
	}
	if !q.Set(s, []float32{2, -2}) {
		t.Error("no code beside the rows")
	}
}

// The largest scores are in range: those of the maximum number of columns, with extreme values.
func TestMostDim(t *testing.T) {
	x := vec.New[float32](2, MostDim)
	for k := range MostDim {
		x.Row(0)[k], x.Row(1)[k] = -1, 1
	}
	s := NewScale(x)
	p, code, out := s.NewPanels(1), make([]int8, s.Width()), make([]int32, Side)
	for i := range 2 {
		s.Row(code, x.Row(i))
		p.Set(i, code)
	}
	far, q := make([]float32, MostDim), &Query{}
	for k := range far {
		far[k] = 2
	}
	ok := q.Set(s, far)
	base := q.Base
	p.Scores(out, q, 0, 1)
	if want := int32(MostDim * 63 * 63); !ok || out[1]+base > want*11/10 || out[0]+base < 9*want*9/10 || out[0] >= Nowhere {
		t.Errorf("distances %d and %d, base %d", out[0]+base, out[1]+base, base)
	}
}

// Invalid arguments panic before memory outside the slices is read.
func TestPanics(t *testing.T) {
	s := NewScale(vec.Of(2, 5, []float32{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}))
	p, out, code := s.NewPanels(3), make([]int32, 48), make([]int8, 8)
	q := queryOf(code, s.reach)
	for name, call := range map[string]func(){
		"short output":  func() { p.Scores(out[:47], q, 0, 3) },
		"short code":    func() { p.Scores(out, queryOf(code[:4], s.reach), 0, 3) },
		"panels beyond": func() { p.Scores(out, q, 1, 3) },
		"panel before":  func() { p.Scores(out, q, -1, 2) },
		"place beyond":  func() { p.Set(48, code) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

// BenchmarkScores measures one row, for queries distributed like normal rows, and for one with
// extreme values in all columns.
func BenchmarkScores(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, width := range []int{52, 784} {
		p := &Panels{reach: slices.Repeat([]uint8{most}, width), data: make([]uint8, 64*width*Side), norm: make([]int32, 64*Side)}
		out := make([]int32, 64*Side)
		for i := range p.data {
			p.data[i] = uint8(rng.IntN(2*most + 1))
		}
		usual, far := make([]int8, width), slices.Repeat([]int8{mostQuery}, width)
		for k := range usual {
			usual[k] = int8(max(-most, min(most, most/3.5*rng.NormFloat64())))
		}
		for _, l := range simd.Levels() {
			for name, code := range map[string][]int8{"usual": usual, "far": far} {
				b.Run(fmt.Sprintf("%d/%s/%v", width, name, l), func(b *testing.B) {
					q := queryOf(code, p.reach)
					for b.Loop() {
						p.scoresAt(l, out, q, 0, 64)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(out)), "ns/row")
				})
			}
		}
	}
}
