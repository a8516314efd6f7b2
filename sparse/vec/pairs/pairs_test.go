package pairs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/sparse/vec/simd"
	"unfold/sparse/vec/simd/simdtest"
)

// lengths are those of the guard tests.
const lengths = 257

// everywhere runs a test at each level.
func everywhere(t *testing.T, test func(t *testing.T, l simd.Level)) {
	for _, l := range simd.Levels() {
		t.Run(l.String(), func(t *testing.T) { test(t, l) })
	}
}

// fill returns n numbers by f that lie at the very end of their memory.
func fill(t testing.TB, n int, f func() float64) []float64 {
	x := simdtest.AtEnd[float64](t, n)
	for k := range x {
		x[k] = f()
	}
	return x
}

func newRun(t testing.TB, n int, r *rand.Rand) Run {
	place := func() float64 { return 5 * r.NormFloat64() }
	scale := func() float64 { return 0.1 * math.Exp(r.NormFloat64()) }
	return Run{fill(t, n, place), fill(t, n, place), fill(t, n, scale), fill(t, n, scale),
		fill(t, n, func() float64 { return float64(r.IntN(30)) })}
}

func newSpot(r *rand.Rand) Spot {
	return Spot{r.NormFloat64(), r.NormFloat64(), 0.1 * math.Exp(r.NormFloat64()), math.Exp(r.NormFloat64())}
}

// magnitude bounds what the sums of a force add up in magnitude.
func magnitude(s *Spot, r *Run) (m Force) {
	for k := range r.W {
		one := r.Cut(k, k+1)
		f := pushFar(s, &one)
		m.Add(Force{math.Abs(f.X), math.Abs(f.Y), f.V, f.Bound})
	}
	return m
}

func TestPushAgreesWithTwin(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		r := rand.New(rand.NewPCG(1, 2))
		for n := range lengths + 1 {
			run, s := newRun(t, n, r), newSpot(r)
			m := magnitude(&s, &run)
			tolerance := float64(n+8) * 0x1p-53
			for name, pair := range map[string][2]Force{
				"push":    {pushAt(l, &s, &run), push(&s, &run)},
				"pushFar": {pushFarAt(l, &s, &run), pushFar(&s, &run)},
			} {
				got, want := pair[0], pair[1]
				for k, e := range []float64{got.X - want.X, got.Y - want.Y, got.V - want.V, got.Bound - want.Bound} {
					if bound := tolerance * []float64{m.X, m.Y, m.V, m.Bound}[k]; !(math.Abs(e) <= bound) {
						t.Fatalf("%s of %d sources: %v, want %v: component %d is off by %g, bound %g", name, n, got, want, k, e, bound)
					}
				}
			}
		}
	})
}

// What is not finite stays so, what is finite in the twin is finite in assembly.
func TestPushOddValues(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		r := rand.New(rand.NewPCG(3, 4))
		for range 3000 {
			run, s := newRun(t, 1+r.IntN(20), r), newSpot(r)
			column := [][]float64{run.X, run.Y, run.S, run.A, run.W}[r.IntN(5)]
			column[r.IntN(len(column))] = simdtest.Odd[r.IntN(len(simdtest.Odd))]
			for name, pair := range map[string][2]Force{
				"push":    {pushAt(l, &s, &run), push(&s, &run)},
				"pushFar": {pushFarAt(l, &s, &run), pushFar(&s, &run)},
			} {
				got, want := pair[0], pair[1]
				for k, v := range []float64{got.X, got.Y, got.V, got.Bound} {
					w := []float64{want.X, want.Y, want.V, want.Bound}[k]
					if finite(v) != finite(w) {
						t.Fatalf("%s of %+v, %+v: %v, want %v", name, s, run, got, want)
					}
				}
			}
		}
	})
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func newBlock(t testing.TB, n, d int, r *rand.Rand) *Block {
	scale := func() float64 { return math.Exp(r.NormFloat64()) }
	b := &Block{
		R2: fill(t, n, func() float64 { return 30 * r.ExpFloat64() }), S: fill(t, n, scale), Inv: fill(t, n, scale),
		W: fill(t, n, func() float64 { return float64(r.IntN(30)) }), V: simdtest.AtEnd[float64](t, n),
		Sigma2: scale(), Inverse: scale(),
	}
	b.SetDims(d)
	b.Top = 1e6
	return b
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
					columns[c] = fill(t, n, r.NormFloat64)
				}
				mu := fill(t, d, r.NormFloat64)
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
				v := fill(t, n, r.ExpFloat64)
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
		"push":       func() { Push(new(Spot), &Run{W: make([]float64, 3)}) },
		"pushFar":    func() { PushFar(new(Spot), &Run{W: make([]float64, 3)}) },
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

// BenchmarkPairs gives the time of one pair at each level, of 64 targets that
// meet 600 sources.
func BenchmarkPairs(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	const sources = 600
	t := b
	for _, l := range simd.Levels() {
		run, s := newRun(t, sources, r), newSpot(r)
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
