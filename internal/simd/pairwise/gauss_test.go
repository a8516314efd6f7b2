package pairwise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
)

// ordinary returns numbers in memory followed by further memory. At the end of a page, masked
// instructions that reach beyond it would take hundreds of cycles.
func ordinary(n int) []float64 { return make([]float64, n, n+16) }

// guarded returns numbers at the end of accessible memory.
func guarded(t testing.TB) func(n int) []float64 {
	return func(n int) []float64 { return simdtest.AtEnd[float64](t, n) }
}

// newPoints returns n points in d dimensions with typical and extreme values: distances from a
// tenth to ten times the scales, variances down to 1e-6.
func newPoints(column func(n int) []float64, n, d int, r *rand.Rand) Points {
	fill := func(f func() float64) []float64 {
		x := column(n)
		for k := range x {
			x[k] = f()
		}
		return x
	}
	spread := math.Exp(r.Float64()*5 - 2.5)
	scale := func() float64 { return math.Exp(r.NormFloat64()) }
	p := Points{
		S: fill(func() float64 { return math.Exp(3*r.NormFloat64() - 3) }),
		A: fill(scale), B: fill(scale), W: fill(func() float64 { return float64(1 + r.IntN(30)) }),
	}
	for range d {
		p.Mu = append(p.Mu, fill(func() float64 { return spread * r.NormFloat64() }))
		p.Sum = append(p.Sum, fill(r.NormFloat64))
	}
	return p
}

// expected has the statistics of one pair by definition: P(c=1) = exp(-L) with L = d/2 log(1 +
// s/Delta^2) + e, P(c=0) = -expm1(-L).
type expected struct {
	weight, excess, log float64
	size                float64 // of the terms that excess adds up
	e                   float64 // the larger exponent
}

func expect(p *Points, u, v int) (x expected) {
	var m2 float64
	d := float64(len(p.Mu))
	for _, mu := range p.Mu {
		m2 += (mu[u] - mu[v]) * (mu[u] - mu[v])
	}
	w, s := p.W[u]*p.W[v], p.S[u]+p.S[v]
	for _, delta := range []float64{p.A[u] + p.B[v], p.A[v] + p.B[u]} {
		q := delta*delta + s
		l := d/2*math.Log1p(s/(delta*delta)) + min(m2/(2*q), expMax)
		weight := w * math.Exp(-l) / -math.Expm1(-l) / q
		x.weight += weight
		x.excess += weight * (m2/q - d)
		x.size += weight * (m2/q + d)
		x.e = max(x.e, l)
		if l > 0.5 {
			x.log += w * math.Log1p(-math.Exp(-l))
		} else {
			x.log += w * math.Log(-math.Expm1(-l))
		}
	}
	return x
}

// units returns the tolerance of a term, in units of 2^-53: an error of a few units in the exponent
// e changes the exponential by that many times e.
func units(d int, e float64) float64 { return (32 + 4*float64(d) + 8*e) * 0x1p-53 }

var gaussDims = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 16, 17}

// The sums of random rows, with random partners skipped, agree with the definition pair by pair.
func TestGaussAgainstPairs(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		r := rand.New(rand.NewPCG(1, 2))
		g := new(Gauss)
		for n := 1; n <= lengths+1; n++ {
			for _, d := range []int{2, gaussDims[n%len(gaussDims)]} {
				checkRow(t, g, l, newPoints(guarded(t), n, d, r), r)
			}
		}
		checkRow(t, g, l, newPoints(guarded(t), 3*gaussWidth+5, 3, r), r)
	})
}

// checkRow checks one row of a block.
func checkRow(t *testing.T, g *Gauss, l simd.Level, p Points, r *rand.Rand) {
	n, d, u := len(p.W), len(p.Mu), 0
	if r.IntN(2) == 0 {
		u = r.IntN(n)
	}
	var skip []int32
	for v := u + 1; v < n; v++ {
		if r.IntN(8) == 0 {
			skip = append(skip, int32(v))
		}
	}
	want, bound := copied(p.Sum), make([][]float64, d)
	for c := range bound {
		bound[c] = make([]float64, n)
		for v, x := range p.Sum[c] {
			bound[c][v] = math.Abs(x) * float64(n) * 0x1p-53
		}
	}
	first, firstBound := append([]float64(nil), p.Sum[0]...), append([]float64(nil), bound[0]...)
	var logs, logBound float64
	left := skip
	for v := u + 1; v < n; v++ {
		if len(left) > 0 && int(left[0]) == v {
			left = left[1:]
			continue
		}
		x := expect(&p, u, v)
		unit := units(d, x.e) + float64(n)*0x1p-53
		for c, mu := range p.Mu {
			f := x.weight * (mu[u] - mu[v])
			want[c][u] += f
			want[c][v] -= f
			for _, end := range []int{u, v} {
				bound[c][end] += math.Abs(f)*unit + x.weight*0x1p-53*(math.Abs(mu[u])+math.Abs(mu[v]))
			}
		}
		for _, end := range []int{u, v} {
			first[end] += x.excess
			firstBound[end] += x.size * unit
		}
		logs += x.log
		logBound += unit * (math.Abs(x.log) + p.W[u]*p.W[v])
	}
	start, origin := append([]float64(nil), p.Sum[0]...), r.IntN(9)
	for k := range skip {
		skip[k] += int32(origin)
	}
	g.Reset(p, origin)
	g.pushRow(u, skip, l)
	for c := range want {
		near(t, fmt.Sprintf("mu statistics, n = %d, d = %d, u = %d", n, d, u), p.Sum[c], want[c], bound[c])
	}
	copy(p.Sum[0], start)
	g.spreadRow(u, skip, l)
	near(t, fmt.Sprintf("sigma statistics, n = %d, d = %d, u = %d", n, d, u), p.Sum[0], first, firstBound)
	near(t, fmt.Sprintf("logarithms, n = %d, d = %d, u = %d", n, d, u), []float64{g.logRow(u, skip, l)}, []float64{logs}, []float64{logBound})
}

func copied(x [][]float64) (y [][]float64) {
	for _, c := range x {
		y = append(y, append([]float64(nil), c...))
	}
	return y
}

func near(t *testing.T, what string, got, want, bound []float64) {
	t.Helper()
	for k, w := range want {
		if !(math.Abs(got[k]-w) <= bound[k]) {
			t.Fatalf("%s: number %d is %v, want %v within %g", what, k, got[k], w, bound[k])
		}
	}
}

// All terms agree with plain Go for all lengths, and sums before the row stay unchanged.
func TestGaussAgreesWithTwin(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		r := rand.New(rand.NewPCG(3, 4))
		g, twin := new(Gauss), new(Gauss)
		for n := range gaussWidth + 1 {
			for _, d := range []int{2, gaussDims[n%len(gaussDims)]} {
				p := newPoints(guarded(t), n+3, d, r)
				q := p
				q.Sum = copied(p.Sum)
				g.Reset(p, 0)
				twin.Reset(q, 0)
				from := 3
				for _, k := range []struct {
					what string
					at   func(simd.Level, int, int, int)
					twin func(int, int, int)
				}{{"weights", g.weightsAt, twin.weights}, {"excess", g.excessAt, twin.excess}, {"others", g.othersAt, twin.others}} {
					g.term, g.rest = [gaussWidth]float64{}, [gaussWidth]float64{}
					twin.term, twin.rest = g.term, g.rest
					k.at(l, 1, from, n)
					k.twin(1, from, n)
					for v := range gaussWidth {
						size, unit := 0.0, 0.0
						if v < n {
							x := expect(&p, 1, from+v)
							size, unit = max(x.size, math.Abs(twin.term[v])), 2*units(d, x.e)
						}
						if !(math.Abs(g.term[v]-twin.term[v]) <= size*unit) || !(math.Abs(g.rest[v]-twin.rest[v]) <= unit*twin.rest[v]) {
							t.Fatalf("%s, d = %d, partner %d of %d: %v and %v, want %v and %v", k.what, d, v, n, g.term[v], g.rest[v], twin.term[v], twin.rest[v])
						}
					}
				}
				g.weights(1, from, n)
				twin.term = g.term
				g.pushAt(l, 1, from, n)
				twin.push(1, from, n)
				g.spreadAt(l, 1, from, n)
				twin.spread(1, from, n)
				for c := range p.Sum {
					if p.Sum[c][0] != q.Sum[c][0] || p.Sum[c][2] != q.Sum[c][2] {
						t.Fatalf("n = %d, d = %d: sums that are none of the row's changed", n, d)
					}
					for v, want := range q.Sum[c] {
						size := math.Abs(want)
						for k, w := range g.term[:n] {
							if v == 1 || v == from+k {
								size += w * (1 + math.Abs(p.Mu[c][1]-p.Mu[c][from+k]))
							}
						}
						if !(math.Abs(p.Sum[c][v]-want) <= float64(n+8)*0x1p-53*size) {
							t.Fatalf("n = %d, d = %d: sum %d of column %d is %v, want %v", n, d, v, c, p.Sum[c][v], want)
						}
					}
				}
			}
		}
	})
}

// Values that are not finite make sums that are not finite. Numbers near the ends of the range give
// the same as in plain Go.
func TestGaussOddValues(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		r := rand.New(rand.NewPCG(5, 6))
		g, twin := new(Gauss), new(Gauss)
		for range 4000 {
			n, d := 2+r.IntN(40), 1+r.IntN(5)
			p := newPoints(ordinary, n, d, r)
			columns := append([][]float64{p.A, p.B, p.W, p.S}, p.Mu...)
			c, odd := r.IntN(len(columns)), simdtest.Odd[r.IntN(len(simdtest.Odd))]
			if c == 3 {
				odd = math.Abs(odd)
			}
			columns[c][r.IntN(n)] = odd
			q := p
			q.Sum = copied(p.Sum)
			start := copied(p.Sum)
			g.Reset(p, 0)
			twin.Reset(q, 0)
			compare := func(what string) {
				t.Helper()
				spoilt := false
				for k := range p.Sum {
					spoilt = spoilt || !finite(p.Sum[k][0])
					for v, want := range q.Sum[k] {
						if finite(p.Sum[k][v]) != finite(want) {
							t.Fatalf("%s statistics of %d points, d = %d, with %v in column %d: sum %d is %v, want %v", what, n, d, odd, c, v, p.Sum[k][v], want)
						}
					}
					copy(p.Sum[k], start[k])
					copy(q.Sum[k], start[k])
				}
				if !finite(odd) && !spoilt {
					t.Fatalf("%s statistics of %d points, d = %d, with %v in column %d are finite", what, n, d, odd, c)
				}
			}
			g.pushRow(0, nil, l)
			twin.pushRow(0, nil, simd.Generic)
			compare("mu")
			g.spreadRow(0, nil, l)
			twin.spreadRow(0, nil, simd.Generic)
			compare("sigma")
			if got, want := g.logRow(0, nil, l), twin.logRow(0, nil, simd.Generic); finite(got) != finite(want) {
				t.Fatalf("logarithms of %d points, d = %d, with %v in column %d: %v, want %v", n, d, odd, c, got, want)
			}
		}
	})
}

func TestGaussLengthsThatDoNotFitPanic(t *testing.T) {
	column := func(n int) []float64 { return make([]float64, n) }
	good := func() Points {
		return Points{column(3), column(3), column(3), column(3), [][]float64{column(3)}, [][]float64{column(3)}}
	}
	for name, f := range map[string]func(p *Points, g *Gauss){
		"S":      func(p *Points, g *Gauss) { p.S = column(2); g.Reset(*p, 0) },
		"A":      func(p *Points, g *Gauss) { p.A = column(2); g.Reset(*p, 0) },
		"B":      func(p *Points, g *Gauss) { p.B = column(4); g.Reset(*p, 0) },
		"no mu":  func(p *Points, g *Gauss) { p.Mu = nil; g.Reset(*p, 0) },
		"mu":     func(p *Points, g *Gauss) { p.Mu[0] = column(2); g.Reset(*p, 0) },
		"sum":    func(p *Points, g *Gauss) { p.Sum[0] = column(2); g.Reset(*p, 0) },
		"no sum": func(p *Points, g *Gauss) { p.Sum = nil; g.Reset(*p, 0); g.Push(0, nil) },
		"row 3":  func(p *Points, g *Gauss) { g.Reset(*p, 0); g.Push(3, nil) },
		"row -1": func(p *Points, g *Gauss) { g.Reset(*p, 0); g.Spread(-1, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			p := good()
			f(&p, new(Gauss))
		})
	}
}

// BenchmarkGauss measures one pair, both directions, with each instruction set, in blocks of a
// hundred points.
func BenchmarkGauss(b *testing.B) {
	const n = 100
	r := rand.New(rand.NewPCG(1, 1))
	for _, d := range []int{2, 3, 10} {
		g := new(Gauss)
		g.Reset(newPoints(ordinary, n, d, r), 0)
		for _, l := range simd.Levels() {
			for _, k := range []struct {
				name string
				row  func(u int)
			}{
				{"push", func(u int) { g.pushRow(u, nil, l) }},
				{"spread", func(u int) { g.spreadRow(u, nil, l) }},
				{"log", func(u int) { g.logRow(u, nil, l) }},
			} {
				b.Run(fmt.Sprintf("d=%d/%s/%v", d, k.name, l), func(b *testing.B) {
					for b.Loop() {
						for u := range n {
							k.row(u)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*(n-1)/2), "ns/pair")
				})
			}
		}
	}
}
