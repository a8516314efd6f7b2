package dist

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd"
	"unfold/internal/vec"
)

// awkward draws values over the whole range of float32, including infinities, NaN and denormals.
func awkward(rng *rand.Rand) float32 {
	switch rng.IntN(40) {
	case 0:
		return float32(math.NaN())
	case 1:
		return float32(math.Inf(1 - 2*rng.IntN(2)))
	case 2:
		return math.SmallestNonzeroFloat32 * float32(rng.IntN(9))
	case 3:
		return math.MaxFloat32
	case 4:
		return float32(math.Copysign(0, -1))
	}
	return float32(rng.NormFloat64() * math.Pow(10, float64(rng.IntN(9)-4)))
}

// same compares bits; all NaNs are equal.
func same(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || (a != a && b != b)
}

// Every instruction set gives the same bits as plain Go for all lengths and alignments, and writes
// only its output.
func TestKernelsAgreeWithTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, l := range simd.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			for n := range 258 {
				stride, offset := max(n+rng.IntN(4), 1), rng.IntN(16)
				q := make([]float32, n+offset)[offset:]
				data := make([]float32, 9*stride+offset)[offset:]
				ordinary := n%2 == 0
				for _, s := range [][]float32{q, data} {
					for k := range s {
						if s[k] = awkward(rng); ordinary {
							s[k] = float32(rng.NormFloat64())
						}
					}
				}
				if got, want := squaredAt(l, q, data), pairTwin(q, data); !same(got, want) {
					t.Fatalf("%d elements: distance %v, the twin's %v", n, got, want)
				}
				rows := make([]int32, rng.IntN(29))
				for i := range rows {
					rows[i] = rng.Int32N(9)
				}
				checkRows(t, l, q, data, stride, rows)
				checkExact(t, l, q, data, stride, rows)
			}
		})
	}
}

// checkExact is checkRows for distances in double precision, compared with package vec.
func checkExact(t *testing.T, l simd.Level, q, data []float32, stride int, rows []int32) {
	t.Helper()
	const canary = -77
	out := make([]float64, len(rows)+2)
	out[0], out[len(out)-1] = canary, canary
	exactAt(l, out[1:len(out)-1], q, data, stride, rows)
	if out[0] != canary || out[len(out)-1] != canary {
		t.Fatalf("%d elements, %d rows: written beside the output", len(q), len(rows))
	}
	for i, r := range rows {
		got, want := out[1+i], vec.SquaredDistance(q, data[int(r)*stride:][:len(q)])
		if math.Float64bits(got) != math.Float64bits(want) && (got == got || want == want) {
			t.Fatalf("%d elements, row %d, number %d of %d: exact distance %v, want %v", len(q), r, i, len(rows), got, want)
		}
	}
}

func checkRows(t *testing.T, l simd.Level, q, data []float32, stride int, rows []int32) {
	t.Helper()
	const canary = -77
	out := make([]float32, len(rows)+2)
	out[0], out[len(out)-1] = canary, canary
	rowsAt(l, squared, out[1:len(out)-1], q, data, stride, rows)
	if out[0] != canary || out[len(out)-1] != canary {
		t.Fatalf("%d elements, %d rows: written beside the output", len(q), len(rows))
	}
	for _, m := range []measure{manhattan, chebyshev, canberra} {
		other := make([]float32, len(rows)+2)
		other[0], other[len(other)-1] = canary, canary
		rowsAt(l, m, other[1:len(other)-1], q, data, stride, rows)
		if other[0] != canary || other[len(other)-1] != canary {
			t.Fatalf("measure %d, %d elements, %d rows: written beside the output", m, len(q), len(rows))
		}
		for i, r := range rows {
			got, want := other[1+i], absoluteTwin(m, q, data[int(r)*stride:])
			if m == chebyshev && math.IsNaN(float64(absoluteTwin(manhattan, q, data[int(r)*stride:]))) {
				continue // with NaN the maximum depends on the order
			}
			if !same(got, want) {
				t.Fatalf("measure %d, %d elements, row %d: %v, the twin's %v", m, len(q), r, got, want)
			}
		}
	}
	for i, r := range rows {
		if got, want := out[1+i], pairTwin(q, data[int(r)*stride:]); !same(got, want) {
			t.Fatalf("%d elements, row %d, number %d of %d: distance %v, the twin's %v", len(q), r, i, len(rows), got, want)
		}
	}
}

// The float32 result is within its stated bound of the true distance, and Exact equals
// vec.SquaredDistance.
func TestErrorBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		scale := math.Pow(10, rapid.Float64Range(-8, 8).Draw(t, "exponent"))
		data := make([]float32, 7*max(n, 1))
		for k := range data {
			data[k] = float32(scale * (1 + rng.NormFloat64()))
		}
		rows := []int32{6, 0, 3, 1, 1, 5, 2}[:rapid.IntRange(0, 7).Draw(t, "rows")]
		q, got, exact := data[:n], make([]float32, 7), make([]float64, 7)
		Rows(got, q, data, max(n, 1), rows)
		Exact(exact, q, data, max(n, 1), rows)
		for i, r := range rows {
			want := vec.SquaredDistance(q, data[int(r)*n:][:n])
			if exact[i] != want {
				t.Fatalf("row %d: exact distance %v, want %v", r, exact[i], want)
			}
			if math.Abs(float64(got[i])-want) > want*Bound(n) {
				t.Fatalf("row %d: distance %v, really %v: beyond the bound %v", r, got[i], want, Bound(n))
			}
		}
	})
}

// Lanes in double precision equal those of a loop in the order of the elements, bit for bit,
// wherever there is a kernel.
func TestAbsoluteLanes(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 2))
	for _, l := range simd.Levels() {
		for n := range 100 {
			a, b := make([]float32, n), make([]float32, n+2)
			for _, s := range [][]float32{a, b} {
				for k := range s {
					s[k] = float32(rng.NormFloat64())
				}
			}
			sums, largest := [4]float64{1, 2, 3, 4}, [4]float64{0, 1e-3, 2, 0}
			wantSums, wantLargest := sums, largest
			done := absolute64(l, manhattan, &sums, a, b)
			if also := absolute64(l, chebyshev, &largest, a, b); also != done || done != 0 && done != n/Lanes*Lanes {
				t.Fatalf("%v: %d and %d of %d elements", l, done, also, n)
			}
			for k, v := range a[:done] {
				d := math.Abs(float64(v) - float64(b[k]))
				wantSums[k%4] += d
				wantLargest[k%4] = max(wantLargest[k%4], d)
			}
			if sums != wantSums || largest != wantLargest {
				t.Fatalf("%v, %d elements: %v and %v, want %v and %v", l, n, sums, largest, wantSums, wantLargest)
			}
		}
	}
}

// Vectors that a threshold excludes are truly farther, and vectors that are a little farther are
// excluded.
func TestBeyond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		scale := math.Pow(10, rapid.Float64Range(-42, 38.5).Draw(t, "exponent"))
		data := make([]float32, 5*n)
		for k := range data {
			data[k] = float32(max(-math.MaxFloat32, min(scale*(1+rng.NormFloat64()), math.MaxFloat32)))
		}
		rows, sum, largest, share := []int32{4, 0, 2, 2, 1}, make([]float32, 5), make([]float32, 5), make([]float32, 5)
		Manhattan(sum, data[:n], data, n, rows)
		Chebyshev(largest, data[:n], data, n, rows)
		Canberra(share, data[:n], data, n, rows)
		for i, r := range rows {
			s, most, shares := 0.0, 0.0, 0.0
			for k, v := range data[:n] {
				y := float64(data[int(r)*n+k])
				d := math.Abs(float64(v) - y)
				if s, most = s+d, max(most, d); d > 0 {
					shares += d / (math.Abs(float64(v)) + math.Abs(y))
				}
			}
			for name, c := range map[string]struct {
				got   float32
				limit func(most float64) float64
				want  float64
			}{
				"manhattan": {sum[i], func(m float64) float64 { return ManhattanBeyond(m, n) }, s},
				"chebyshev": {largest[i], ChebyshevBeyond, most},
				"canberra":  {share[i], func(m float64) float64 { return CanberraBeyond(m, n) }, shares},
			} {
				if float64(c.got) > c.limit(c.want) {
					t.Fatalf("%s of row %d, %v, is said to be beyond %v, which it is", name, r, c.got, c.want)
				}
				if name == "canberra" && scale > 1e37 {
					continue // sums of two values are beyond float32
				}
				if less := c.want * (1 - 3*Bound(n)); c.want < math.MaxFloat32/2 && c.want > 0 && !(float64(c.got) > c.limit(less)) {
					t.Fatalf("%s of row %d, %v, is not said to be beyond %v; it is %v", name, r, c.got, less, c.want)
				}
			}
		}
	})
}

// Invalid arguments panic before memory outside the slices is read.
func TestPanics(t *testing.T) {
	q, data, out := make([]float32, 20), make([]float32, 100), make([]float32, 9)
	for _, l := range simd.Levels() {
		for name, call := range map[string]func(){
			"short vector":    func() { squaredAt(l, q, q[:19]) },
			"short output":    func() { rowsAt(l, squared, out[:2], q, data, 20, []int32{0, 1, 2}) },
			"row above":       func() { rowsAt(l, squared, out, q, data, 20, []int32{0, 1, 2, 3, 4, 5}) },
			"row below":       func() { rowsAt(l, squared, out, q, data, 20, []int32{0, 1, 2, 3, 4, 0, -1}) },
			"row cut off":     func() { rowsAt(l, squared, out, q, data[:99], 20, []int32{4}) },
			"manhattan above": func() { rowsAt(l, manhattan, out, q, data, 20, []int32{0, 5}) },
			"chebyshev below": func() { rowsAt(l, chebyshev, out, q, data, 20, []int32{0, 1, 2, 3, -1}) },
			"canberra above":  func() { rowsAt(l, canberra, out, q, data, 20, []int32{0, 5}) },
			"no data":         func() { rowsAt(l, squared, out, q, nil, 20, []int32{0}) },
			"no stride":       func() { rowsAt(l, squared, out, q, data, 0, []int32{0}) },
			"exact row above": func() { exactAt(l, make([]float64, 5), q, data, 20, []int32{0, 1, 2, 3, 5}) },
			"exact row below": func() { exactAt(l, make([]float64, 5), q, data, 20, []int32{0, 1, 2, -1}) },
			"exact of eight":  func() { exactAt(l, make([]float64, 9), q, data, 20, []int32{0, 1, 2, 3, 4, 3, 2, 5, 0}) },
			"exact of nine":   func() { exactAt(l, make([]float64, 9), q, data, 20, []int32{0, 1, 2, 3, 4, 3, 2, 1, 5}) },
			"exact room":      func() { exactAt(l, make([]float64, 3), q, data, 20, []int32{0, 1, 2, 3}) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%v, %s: no panic", l, name)
					}
				}()
				call()
			}()
		}
	}
	Prefetch(nil)
	Prefetch(make([]int32, 1))
}

func BenchmarkRows(b *testing.B) {
	out := make([]float32, 16)
	benchmarkRows(b, func(l simd.Level, q, data []float32, rows []int32) { rowsAt(l, squared, out, q, data, len(q), rows) })
}

func BenchmarkExact(b *testing.B) {
	out := make([]float64, 16)
	benchmarkRows(b, func(l simd.Level, q, data []float32, rows []int32) { exactAt(l, out, q, data, len(q), rows) })
}

// benchmarkRows measures the time of one of sixteen rows, with every instruction set.
func benchmarkRows(b *testing.B, run func(l simd.Level, q, data []float32, rows []int32)) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{50, 64, 784} {
		const count = 4096
		data, rows := make([]float32, n*count), make([]int32, 16)
		for k := range data {
			data[k] = float32(rng.NormFloat64())
		}
		for _, l := range simd.Levels() {
			b.Run(fmt.Sprintf("%d/%v", n, l), func(b *testing.B) {
				for b.Loop() {
					for i := range rows {
						rows[i] = rng.Int32N(count)
					}
					run(l, data[:n], data, rows)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(rows)), "ns/row")
			})
		}
	}
}
