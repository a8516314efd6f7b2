package pairwise

import (
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
)

func newSpaceRun[T Float](t testing.TB, n int, r *rand.Rand) SpaceRun[T] {
	place := func() float64 { return 5 * r.NormFloat64() }
	scale := func() float64 { return 0.3 * math.Exp(r.NormFloat64()) }
	return SpaceRun[T]{fill[T](t, n, place), fill[T](t, n, place), fill[T](t, n, place), fill[T](t, n, scale),
		fill[T](t, n, func() float64 { return 1 / (10 * scale()) }), fill[T](t, n, func() float64 { return float64(r.IntN(30)) })}
}

func newSpaceSpot[T Float](r *rand.Rand) SpaceSpot[T] {
	return SpaceSpot[T]{T(r.NormFloat64()), T(r.NormFloat64()), T(r.NormFloat64()), T(0.3 * math.Exp(r.NormFloat64())), T(math.Exp(r.NormFloat64()))}
}

// pairInSpace returns in float64 the contributions of source k: the difference of positions, the
// repulsion 1/(q (z^(3/2) - 1)) w/V of both directions in its plain form, and log P(c=0).
func pairInSpace[T Float](t *SpaceSpot[T], r *SpaceRun[T], k int) (d [3]float64, v, log float64) {
	d = [3]float64{float64(t.X) - float64(r.X[k]), float64(t.Y) - float64(r.Y[k]), float64(t.Z) - float64(r.Z[k])}
	q := (float64(t.S) + float64(r.S[k]) + d[0]*d[0] + d[1]*d[1] + d[2]*d[2]) / 3
	for _, inverse := range []float64{float64(t.I), float64(r.I[k])} {
		delta2 := 1 / (3 * inverse)
		surprise := 1.5 * math.Log1p(q/delta2)
		v += 1 / math.Expm1(surprise) / (delta2 + q)
		log += math.Log(-math.Expm1(-surprise))
	}
	return d, v, log
}

// Sums in single precision, in assembly and plain Go, agree with the formula in double precision,
// up to the rounding of every term and of the sum.
func TestPushSpace(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		r := rand.New(rand.NewPCG(21, 22))
		for n := range lengths + 1 {
			run, s := newSpaceRun[float32](t, n, r), newSpaceSpot[float32](r)
			var want, size [4]float64
			for k := range n {
				d, v, _ := pairInSpace(&s, &run, k)
				for c, x := range [4]float64{d[0], d[1], d[2], 1} {
					want[c] += float64(run.W[k]) * v * x
					size[c] += float64(run.W[k]) * v * math.Abs(x)
				}
			}
			for what, f := range map[string]SpaceForce{"kernel": pushSpace32At(l, &s, &run), "twin": pushSpace(&s, &run)} {
				for c, got := range [4]float64{f.X, f.Y, f.Z, f.V} {
					if bound := float64(n+32) * 0x1p-24 * size[c]; !(math.Abs(got-want[c]) <= bound) {
						t.Fatalf("%s of %d sources: component %d is %v, want %v within %g", what, n, c, got, want[c], bound)
					}
				}
			}
		}
	})
}

// Values that are not finite stay so, and values that are finite in plain Go are finite in
// assembly.
func TestPushSpaceOddValues(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		r := rand.New(rand.NewPCG(23, 24))
		for range 4000 {
			run, s := newSpaceRun[float32](t, 1+r.IntN(40), r), newSpaceSpot[float32](r)
			column := [][]float32{run.X, run.Y, run.Z, run.S, run.I, run.W}[r.IntN(6)]
			column[r.IntN(len(column))] = float32(simdtest.Odd[r.IntN(len(simdtest.Odd))])
			got, want := pushSpace32At(l, &s, &run), pushSpace(&s, &run)
			for c, w := range []float64{want.X, want.Y, want.Z, want.V} {
				if finite([]float64{got.X, got.Y, got.Z, got.V}[c]) != finite(w) {
					t.Fatalf("%+v, %+v: %v, want %v", s, run, got, want)
				}
			}
		}
	})
}

// LogsSpace agrees with a logarithm for each pair, from close pairs to pairs so far apart that the
// logarithm is 0; NaN gives NaN.
func TestLogsSpace(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		r := rand.New(rand.NewPCG(25, 26))
		for n := range lengths + 1 {
			run, s := newSpaceRun[float64](t, n, r), newSpaceSpot[float64](r)
			far := math.Exp(6 * r.NormFloat64())
			var want, size float64
			for k := range n {
				run.X[k] *= far
				run.S[k] /= far
				_, _, log := pairInSpace(&s, &run, k)
				want += run.W[k] * log
				size += run.W[k] * (1e-14*math.Abs(log) + 0x1p-51)
			}
			for what, got := range map[string]float64{"kernel": logsSpaceAt(l, &s, &run), "twin": logsSpace(&s, &run)} {
				if !(math.Abs(got-want) <= 10*size) {
					t.Fatalf("%s, %d sources: %v, want %v within %g", what, n, got, want, 10*size)
				}
			}
			if n > 0 {
				k := r.IntN(n)
				run.W[k] = 1
				[][]float64{run.X, run.Y, run.Z, run.S, run.I}[r.IntN(5)][k] = math.NaN()
				if got := logsSpaceAt(l, &s, &run); got == got {
					t.Fatalf("%d sources, one of which is not a number: %v", n, got)
				}
			}
		}
	})
}
