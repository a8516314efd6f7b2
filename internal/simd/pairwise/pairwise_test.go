package pairwise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
)

// lengths are those of the guard tests.
const lengths = 257

// everywhere runs a test at each level.
func everywhere(t *testing.T, test func(t *testing.T, l simd.Level)) {
	for _, l := range simd.Levels() {
		t.Run(l.String(), func(t *testing.T) { test(t, l) })
	}
}

// fill returns n numbers by f at the end of accessible memory.
func fill[T Float](t testing.TB, n int, f func() float64) []T {
	x := simdtest.AtEnd[T](t, n)
	for k := range x {
		x[k] = T(f())
	}
	return x
}

func newRun[T Float](t testing.TB, n int, r *rand.Rand) Run[T] {
	place := func() float64 { return 5 * r.NormFloat64() }
	scale := func() float64 { return 0.1 * math.Exp(r.NormFloat64()) }
	return Run[T]{fill[T](t, n, place), fill[T](t, n, place), fill[T](t, n, scale), fill[T](t, n, scale),
		fill[T](t, n, func() float64 { return float64(r.IntN(30)) })}
}

func newSpot[T Float](r *rand.Rand) Spot[T] {
	return Spot[T]{T(r.NormFloat64()), T(r.NormFloat64()), T(0.1 * math.Exp(r.NormFloat64())), T(math.Exp(r.NormFloat64()))}
}

// kernel is a kernel in assembly and its plain version.
type kernel[T Float] struct {
	name string
	at   func(simd.Level, *Spot[T], *Run[T]) Force
	twin func(*Spot[T], *Run[T]) Force
}

var (
	kernels64 = []kernel[float64]{{"push", pushAt, push[float64]}, {"pushFar", pushFarAt, pushFar[float64]}}
	kernels32 = []kernel[float32]{{"push32", push32At, push[float32]}, {"pushFar32", pushFar32At, pushFar[float32]}}
)

// magnitude returns the sum of the magnitudes that the sums of a force add.
func magnitude[T Float](s *Spot[T], r *Run[T]) (m Force) {
	for k := range r.W {
		one := r.Cut(k, k+1)
		f := pushFar(s, &one)
		m.Add(Force{math.Abs(f.X), math.Abs(f.Y), f.V, f.Bound})
	}
	return m
}

func (f Force) components() []float64 { return []float64{f.X, f.Y, f.V, f.Bound} }

func TestPushAgreesWithTwin(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		agrees(t, l, 0x1p-53, kernels64)
		agrees(t, l, 0x1p-24, kernels32)
	})
}

func agrees[T Float](t *testing.T, l simd.Level, unit float64, kernels []kernel[T]) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range lengths + 1 {
		run, s := newRun[T](t, n, r), newSpot[T](r)
		m := magnitude(&s, &run).components()
		for _, k := range kernels {
			got, want := k.at(l, &s, &run), k.twin(&s, &run)
			for c, w := range want.components() {
				if e, bound := got.components()[c]-w, float64(n+16)*unit*m[c]; !(math.Abs(e) <= bound) {
					t.Fatalf("%s of %d sources: %v, want %v: component %d is off by %g, bound %g", k.name, n, got, want, c, e, bound)
				}
			}
		}
	}
}

// Sums in single precision agree with those of the same numbers in double precision, up to the
// rounding of every term and of the sum.
func TestSinglePrecision(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for n := range lengths + 1 {
		run, s := newRun[float32](t, n, r), newSpot[float32](r)
		wide := Run[float64]{double(run.X), double(run.Y), double(run.S), double(run.A), double(run.W)}
		spot := Spot[float64]{float64(s.X), float64(s.Y), float64(s.S), float64(s.A)}
		m := magnitude(&spot, &wide).components()
		for k := range kernels32 {
			got, want := kernels32[k].at(simd.Best(), &s, &run).components(), kernels64[k].twin(&spot, &wide).components()
			for c, w := range want {
				if bound := float64(n+16) * 0x1p-24 * m[c]; !(math.Abs(got[c]-w) <= bound) {
					t.Fatalf("%s of %d sources: component %d is %v, want %v within %g", kernels32[k].name, n, c, got[c], w, bound)
				}
			}
		}
	}
}

// Logs agrees with plain Go, and with a logarithm for each pair, from close pairs to pairs so far
// apart that the logarithm is 0. Values that are not finite give NaN.
func TestLogs(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		r := rand.New(rand.NewPCG(15, 16))
		for n := range lengths + 1 {
			run, s := newRun[float64](t, n, r), newSpot[float64](r)
			far := math.Exp(6 * r.NormFloat64())
			var want, size float64
			for k := range n {
				run.X[k] *= far
				run.S[k] /= far
				dx, dy := s.X-run.X[k], s.Y-run.Y[k]
				q := s.S + run.S[k] + (dx*dx+dy*dy)/2
				log := run.W[k] * (math.Log1p(s.A/q) + math.Log1p(run.A[k]/q))
				want -= log
				size += log*1e-14 + run.W[k]*0x1p-52
			}
			for what, got := range map[string]float64{"assembly": logsAt(l, &s, &run), "twin": logs(&s, &run)} {
				if !(math.Abs(got-want) <= 10*size) {
					t.Fatalf("%s, %d sources: %v, want %v within %g", what, n, got, want, 10*size)
				}
			}
			if n > 0 {
				k := r.IntN(n)
				run.W[k] = 1
				[][]float64{run.X, run.Y, run.S, run.A}[r.IntN(4)][k] = math.NaN()
				if got := logsAt(l, &s, &run); got == got {
					t.Fatalf("%d sources, one of which is not a number: %v", n, got)
				}
			}
		}
	})
}

func TestNarrow(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		r := rand.New(rand.NewPCG(13, 14))
		for n := range lengths + 1 {
			src, dst := fill[float64](t, n, r.NormFloat64), simdtest.AtEnd[float32](t, n)
			if n > 0 {
				src[r.IntN(n)] = simdtest.Odd[n%len(simdtest.Odd)]
			}
			narrowAt(l, dst, src, 0.3)
			for k, x := range src {
				if want := float32(x - 0.3); dst[k] != want && !(math.IsNaN(x) && dst[k] != dst[k]) {
					t.Fatalf("number %d of %d, %v: %v, want %v", k, n, x, dst[k], want)
				}
			}
		}
	})
}

func double(x []float32) []float64 {
	y := make([]float64, len(x))
	for k, v := range x {
		y[k] = float64(v)
	}
	return y
}

// Values that are not finite stay so, and values that are finite in plain Go are finite in
// assembly.
func TestPushOddValues(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		oddValues(t, l, kernels64)
		oddValues(t, l, kernels32)
	})
}

func oddValues[T Float](t *testing.T, l simd.Level, kernels []kernel[T]) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		run, s := newRun[T](t, 1+r.IntN(40), r), newSpot[T](r)
		column := [][]T{run.X, run.Y, run.S, run.A, run.W}[r.IntN(5)]
		column[r.IntN(len(column))] = T(simdtest.Odd[r.IntN(len(simdtest.Odd))])
		for _, k := range kernels {
			got, want := k.at(l, &s, &run), k.twin(&s, &run)
			for c, w := range want.components() {
				if finite(got.components()[c]) != finite(w) {
					t.Fatalf("%s of %+v, %+v: %v, want %v", k.name, s, run, got, want)
				}
			}
		}
	}
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func newBlock(t testing.TB, n, d int, r *rand.Rand) *Block {
	scale := func() float64 { return math.Exp(r.NormFloat64()) }
	b := &Block{
		R2: fill[float64](t, n, func() float64 { return 30 * r.ExpFloat64() }), S: fill[float64](t, n, scale), Inv: fill[float64](t, n, scale),
		W: fill[float64](t, n, func() float64 { return float64(r.IntN(30)) }), V: simdtest.AtEnd[float64](t, n),
		Sigma2: scale(), Inverse: scale(),
	}
	b.SetDims(d)
	b.Top = 1e6
	return b
}

// One dimension takes no longer than three, which need the same roots and more powers; this shows
// that it is vectorised. The best of many short runs counts.
func TestOneDimensionCostsNoMoreThanThree(t *testing.T) {
	if simd.Best() == simd.Generic {
		t.Skip("no vectors here")
	}
	r := rand.New(rand.NewPCG(7, 8))
	one, three := newBlock(t, 128, 1, r), newBlock(t, 128, 3, r)
	best := func(b *Block, least *time.Duration) {
		begin := time.Now()
		for range 20 {
			Repulsions(b)
		}
		if took := time.Since(begin); *least == 0 || took < *least {
			*least = took
		}
	}
	var a, b time.Duration
	for range 200 {
		best(one, &a)
		best(three, &b)
	}
	t.Logf("d = 1: %v, d = 3: %v", a, b)
	if a > b+b/2 {
		t.Errorf("20 blocks take %v in one dimension and %v in three", a, b)
	}
}

func TestRepulsionsAgreeWithTwin(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		r := rand.New(rand.NewPCG(5, 6))
		for n := range lengths + 1 {
			for _, d := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 16, 17, 32} {
				b := newBlock(t, n, d, r)
				if n > 0 {
					b.R2[r.IntN(n)] = 1e9 // beyond Top
				}
				repulsionsAt(l, b)
				got := append([]float64(nil), b.V...)
				repulsions(b, 0)
				for k, w := range b.V {
					if !(math.Abs(got[k]-w) <= float64(4*d+16)*0x1p-53*w) {
						t.Fatalf("%d sources, d = %d, source %d: %v, want %v", n, d, k, got[k], w)
					}
				}
			}
		}
	})
}

func TestRepulsionsOddValues(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		r := rand.New(rand.NewPCG(7, 8))
		for range 3000 {
			b := newBlock(t, 1+r.IntN(20), 1+r.IntN(10), r)
			column := [][]float64{b.R2, b.S, b.Inv, b.W}[r.IntN(4)]
			column[r.IntN(len(column))] = simdtest.Odd[r.IntN(len(simdtest.Odd))]
			repulsionsAt(l, b)
			got := append([]float64(nil), b.V...)
			repulsions(b, 0)
			for k, w := range b.V {
				if finite(got[k]) != finite(w) {
					t.Fatalf("%+v: source %d is %v, want %v", b, k, got[k], w)
				}
			}
		}
	})
}

func TestDistancesAndGather(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		r := rand.New(rand.NewPCG(9, 10))
		for n := range lengths + 1 {
			for _, d := range []int{0, 1, 2, 3, 4, 5, 8, 9, 10, 16} {
				columns := make([][]float64, d)
				for c := range columns {
					columns[c] = fill[float64](t, n, r.NormFloat64)
				}
				mu := fill[float64](t, d, r.NormFloat64)
				canary := make([]float64, n+2)
				canary[0], canary[n+1] = 77, 78
				r2, want := canary[1:n+1:n+1], make([]float64, n)
				distancesAt(l, r2, mu, columns)
				distances(want, mu, columns, 0)
				for k, w := range want {
					if !(math.Abs(r2[k]-w) <= float64(d+2)*0x1p-53*w) {
						t.Fatalf("distance %d of %d, d = %d: %v, want %v", k, n, d, r2[k], w)
					}
				}
				if canary[0] != 77 || canary[n+1] != 78 {
					t.Fatalf("%d distances, d = %d: written beyond the ends", n, d)
				}
				v := fill[float64](t, n, r.ExpFloat64)
				got, sum := simdtest.AtEnd[float64](t, d+1), make([]float64, d+1)
				for c := range got {
					got[c], sum[c] = float64(c), float64(c)
				}
				gatherAt(l, got, v, columns)
				gather(sum, v, columns, 0)
				for c, w := range sum {
					if !(math.Abs(got[c]-w) <= float64(n+8)*0x1p-53*(10+10*float64(n))) {
						t.Fatalf("sum %d of %d sources, d = %d: %v, want %v", c, n, d, got[c], w)
					}
				}
			}
		}
	})
}

func TestLengthsThatDoNotFitPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"push":       func() { Push(new(Spot[float64]), &Run[float64]{W: make([]float64, 3)}) },
		"logs":       func() { Logs(new(Spot[float64]), &Run[float64]{W: make([]float64, 3)}) },
		"pushSpace":  func() { PushSpace32(new(SpaceSpot[float32]), &SpaceRun[float32]{W: make([]float32, 3)}) },
		"logsSpace":  func() { LogsSpace(new(SpaceSpot[float64]), &SpaceRun[float64]{W: make([]float64, 3)}) },
		"pushFar":    func() { PushFar32(new(Spot[float32]), &Run[float32]{W: make([]float32, 3)}) },
		"narrow":     func() { Narrow(make([]float32, 8), make([]float64, 9), 0) },
		"distances":  func() { Distances(make([]float64, 9), make([]float64, 2), [][]float64{make([]float64, 9)}) },
		"repulsions": func() { Repulsions(&Block{V: make([]float64, 9)}) },
		"gather":     func() { Gather(make([]float64, 1), make([]float64, 9), [][]float64{make([]float64, 9)}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

// BenchmarkPairs measures one pair with each instruction set, for 64 targets and 600 sources.
func BenchmarkPairs(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	const sources = 600
	t := b
	for _, l := range simd.Levels() {
		run, s := newRun[float64](t, sources, r), newSpot[float64](r)
		run32, s32 := newRun[float32](t, sources, r), newSpot[float32](r)
		measure := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/%v", name, l), func(b *testing.B) {
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/sources, "ns/pair")
			})
		}
		measure("push", func() { pushAt(l, &s, &run) })
		measure("pushFar", func() { pushFarAt(l, &s, &run) })
		measure("logs", func() { logsAt(l, &s, &run) })
		space32, at32 := newSpaceRun[float32](t, sources, r), newSpaceSpot[float32](r)
		space, at := newSpaceRun[float64](t, sources, r), newSpaceSpot[float64](r)
		measure("pushSpace32", func() { pushSpace32At(l, &at32, &space32) })
		measure("logsSpace", func() { logsSpaceAt(l, &at, &space) })
		measure("push32", func() { push32At(l, &s32, &run32) })
		measure("pushFar32", func() { pushFar32At(l, &s32, &run32) })
		for _, d := range []int{3, 10} {
			block := newBlock(t, 128, d, r)
			columns, mu, sum := make([][]float64, d), make([]float64, d), make([]float64, d+1)
			for c := range columns {
				columns[c] = make([]float64, 128)
			}
			each := func(f func()) func() {
				return func() {
					for k := 0; k < sources; k += 120 {
						f()
					}
				}
			}
			measure(fmt.Sprintf("distances/d=%d", d), each(func() { distancesAt(l, block.R2[:120], mu, columns) }))
			measure(fmt.Sprintf("repulsions/d=%d", d), each(func() { repulsionsAt(l, block) }))
			measure(fmt.Sprintf("gather/d=%d", d), each(func() { gatherAt(l, sum, block.V[:120], columns) }))
		}
	}
}

// Kernels of the default model in the plane and in four and more dimensions give the same bits with
// every vector instruction set, for any number of sources.
func TestSameBits(t *testing.T) {
	if simd.Best() < simd.AVX512 || simd.Best() == simd.NEON {
		t.Skip("one level with vectors, nothing to compare")
	}
	r := rand.New(rand.NewPCG(17, 18))
	for n := range lengths {
		run, s := newRun[float64](t, n, r), newSpot[float64](r)
		run32, s32 := newRun[float32](t, n, r), newSpot[float32](r)
		columns := [][]float64{run.X, run.Y, run.S, run.A, run.W}
		blocks := []*Block{newBlock(t, n, 4, r), newBlock(t, n, 5, r), newBlock(t, n, 10, r)}
		results := func(l simd.Level) (out []float64) {
			for _, k := range kernels64 {
				f := k.at(l, &s, &run)
				out = append(out, f.components()...)
			}
			for _, k := range kernels32 {
				f := k.at(l, &s32, &run32)
				out = append(out, f.components()...)
			}
			sum, r2, narrowed := make([]float64, 6), make([]float64, n), make([]float32, n)
			distancesAt(l, r2, []float64{s.X, s.Y, 1, 2, 3}, columns)
			gatherAt(l, sum, run.W, columns)
			narrowAt(l, narrowed, run.X, 0.3)
			out = append(append(out, r2...), sum...)
			for _, v := range narrowed {
				out = append(out, float64(v))
			}
			for _, b := range blocks {
				repulsionsAt(l, b)
				out = append(out, b.V...)
			}
			return append(out, logsAt(l, &s, &run))
		}
		want, got := results(simd.AVX2), results(simd.AVX512)
		for k := range want {
			if math.Float64bits(want[k]) != math.Float64bits(got[k]) {
				t.Fatalf("%d sources: number %d is %v by AVX2, %v by AVX-512", n, k, want[k], got[k])
			}
		}
	}
}
