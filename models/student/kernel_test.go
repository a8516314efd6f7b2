package student

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"unfold/coarse/farfield"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// one is a field with a single batch, which is the same for every state.
type one struct{ batch farfield.Batch }

func (o *one) Move(int, vec.Matrix[float64], []float64) {}
func (o *one) Sweep(_ int, visit func(*farfield.Batch)) { visit(&o.batch) }
func (o *one) Pairs() int64                             { return int64(len(o.batch.Points) * len(o.batch.Weight)) }
func (o *one) Bytes() int64                             { return 0 }
func (o *one) Random() bool                             { return false }

// columns returns n random points, spread as on a map.
func columns(n, d int, spread float64, r *rand.Rand) farfield.Columns {
	c := farfield.Columns{Sigma2: make([]float64, n), Delta2: make([]float64, n)}
	for range d {
		m := make([]float64, n)
		for k := range m {
			m[k] = spread * r.NormFloat64()
		}
		c.Mu = append(c.Mu, m)
	}
	for k := range n {
		c.Sigma2[k], c.Delta2[k] = 0.2*math.Exp(r.NormFloat64()), math.Exp(r.NormFloat64())
	}
	return c
}

// batch returns a random batch. If self, the targets are among the sources.
func batch(targets, sources, d int, spread float64, self bool, r *rand.Rand) farfield.Batch {
	b := farfield.Batch{Targets: columns(targets, d, spread, r), Sources: columns(sources, d, spread, r), Self: -1}
	for i := range targets {
		b.Points = append(b.Points, int32(i))
	}
	for k := range sources {
		b.Weight = append(b.Weight, 1)
		if k%3 == 1 {
			b.Weight[k] = math.Exp(2 * r.NormFloat64())
		}
	}
	if self {
		b.Self = sources - targets
		for t := range targets {
			for c := range b.Targets.Mu {
				b.Sources.Mu[c][b.Self+t] = b.Targets.Mu[c][t]
			}
			b.Sources.Sigma2[b.Self+t], b.Sources.Delta2[b.Self+t] = b.Targets.Sigma2[t], b.Targets.Delta2[t]
			b.Weight[b.Self+t] = 1
		}
	}
	return b
}

// sums are the expected results of the kernels for one target.
type sums struct {
	grad                               []float64
	push, spread, em, global, low, far float64
	logs                               float64
}

// byPairs adds up a batch pair by pair.
func byPairs(b *farfield.Batch, d int, tail float64, t int) sums {
	s := sums{grad: make([]float64, d)}
	for k, w := range b.Weight {
		if b.Self >= 0 && k == b.Self+t {
			continue
		}
		p := Pair{Sigma2I: b.Targets.Sigma2[t], Sigma2J: b.Sources.Sigma2[k], Dims: d, Tail: tail}
		for c := range d {
			x := b.Targets.Mu[c][t] - b.Sources.Mu[c][k]
			p.Dist2 += x * x
		}
		for _, p.Scale2 = range []float64{b.Targets.Delta2[t], b.Sources.Delta2[k]} {
			for c := range d {
				s.grad[c] += w * p.Push() * (b.Targets.Mu[c][t] - b.Sources.Mu[c][k])
			}
			s.push += w * p.Push()
			s.spread += w * p.Odds() * p.Slope()
			s.em += w * p.Push() * p.Dist2
			s.logs += w * p.LogOther()
			s.global += w * p.Global()
			s.low += w * p.Local()
			s.far += w * p.Far()
		}
	}
	return s
}

// TestKernelsAgainstPairs compares the sweeps with sums pair by pair, for every d with a kernel of
// its own and for others.
func TestKernelsAgainstPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.OneOf(rapid.IntRange(1, 12), rapid.SampledFrom([]int{17, 32, 33})).Draw(t, "d")
		tail := rapid.SampledFrom([]float64{0, 0, 0, 0.7, 6}).Draw(t, "tail")
		targets := rapid.IntRange(1, 5).Draw(t, "targets")
		sources := targets + rapid.IntRange(0, 300).Draw(t, "more")
		self := rapid.Bool().Draw(t, "self")
		spread := math.Exp(rapid.Float64Range(-3, 3).Draw(t, "spread"))
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
		o := &one{batch(targets, sources, d, spread, self, r)}
		p := NewProblem(knn.NewNeighbors(targets, 1), 1, Unit)
		p.Field = o
		majorisers := []Majoriser{EM, Force}
		if d == 2 && (tail == 0 || tail == 1) {
			majorisers = append(majorisers, Global, Local, Far)
		}
		for _, k := range majorisers {
			m, err := NewModel(p, d, ModelSettings{Tail: tail, Majoriser: k})
			if err != nil {
				t.Fatal(err)
			}
			m.fresh = true
			want := make([]sums, targets)
			m.visitPush(&o.batch)
			for i := range targets {
				want[i] = byPairs(&o.batch, d, m.s.Tail, i)
				for c, g := range want[i].grad {
					near(t, "gradient", m.grad.Row(i)[c], g, want[i].push*spread)
				}
				near(t, "push", m.pushes[i], want[i].push, want[i].push)
				switch k {
				case EM:
					near(t, "EM", m.bound[i], want[i].em, want[i].em)
				case Global:
					near(t, "global", m.bound[i], want[i].global, want[i].global)
				case Local:
					near(t, "local", m.bound[i], want[i].low, want[i].low)
				case Far:
					near(t, "far", m.bound[i], want[i].far, want[i].far)
				}
			}
			m.visitLogs(&o.batch)
			for i := range targets {
				near(t, "log-likelihood", m.each[i], want[i].logs, math.Abs(want[i].logs)+1e-5*total(o.batch.Weight))
			}
			m.logs(&o.batch)
			for i := range targets {
				near(t, "log-likelihood by tiles", m.each[i], want[i].logs, math.Abs(want[i].logs)+1e-5*total(o.batch.Weight))
			}
			m.spreads(&o.batch)
			for i := range targets {
				near(t, "sigma", m.each[i], want[i].spread, math.Abs(want[i].push)*float64(d)+math.Abs(want[i].spread))
				if m.shape.fast {
					near(t, "sigma by pushes", -float64(d)*m.pushes[i], want[i].spread, want[i].push*float64(d))
				}
			}
		}
	})
}

// TestSinglePrecision: sums in single precision equal those in double precision within 3e-5 of the
// sum of magnitudes, also far from the origin. One draw in thousands differs by 1.2e-5, where
// points of tiny variance nearly coincide.
func TestSinglePrecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		targets := rapid.IntRange(1, 5).Draw(t, "targets")
		sources := targets + rapid.IntRange(0, 300).Draw(t, "more")
		spread := math.Exp(rapid.Float64Range(-3, 4).Draw(t, "spread"))
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
		d := rapid.IntRange(2, 3).Draw(t, "d")
		o := &one{batch(targets, sources, d, spread, rapid.Bool().Draw(t, "self"), r)}
		for k := range d {
			for _, c := range []farfield.Columns{o.batch.Targets, o.batch.Sources} {
				for i := range c.Mu[k] {
					c.Mu[k][i] = 1e4*spread + c.Mu[k][i]
				}
			}
		}
		p := NewProblem(knn.NewNeighbors(targets, 1), 1, Unit)
		p.Field = o
		for _, fresh := range []bool{false, true} {
			var m [2]*Model
			for k := range m {
				var err error
				if m[k], err = NewModel(p, d, ModelSettings{Single: k == 1}); err != nil {
					t.Fatal(err)
				}
				m[k].fresh = fresh
				m[k].visitPush(&o.batch)
			}
			for i := range targets {
				v := m[0].pushes[i]
				for c, g := range m[0].grad.Row(i) {
					if e := math.Abs(m[1].grad.Row(i)[c] - g); e > 3e-5*v*spread {
						t.Fatalf("gradient: %v, want %v", m[1].grad.Row(i), m[0].grad.Row(i))
					}
				}
				if math.Abs(m[1].pushes[i]-v) > 3e-5*v || math.Abs(m[1].bound[i]-m[0].bound[i]) > 3e-5*m[0].bound[i] {
					t.Fatalf("push %v and bound %v, want %v and %v", m[1].pushes[i], m[1].bound[i], v, m[0].bound[i])
				}
			}
		}
	})
}

// near fails unless got is want within 1e-10 of scale.
func near(t *rapid.T, what string, got, want, scale float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-10*scale) {
		t.Fatalf("%s is %.15g, want %.15g", what, got, want)
	}
}

// TestKernelsStayFinite: powers stay within the range of numbers, however far a source and however
// small a scale.
func TestKernelsStayFinite(t *testing.T) {
	for _, d := range []int{1, 2, 3, 4, 7, 10, 16, 33, 200} {
		r := rand.New(rand.NewPCG(1, uint64(d)))
		for _, spread := range []float64{1e-6, 1, 1e4, 1e8} {
			o := &one{batch(3, 70, d, spread, true, r)}
			for k := range o.batch.Sources.Delta2 {
				o.batch.Sources.Delta2[k] = math.Exp(14 * (r.Float64() - 1))
				o.batch.Sources.Sigma2[k] = math.Exp(14 * (r.Float64() - 1))
			}
			p := NewProblem(knn.NewNeighbors(3, 1), 1, Unit)
			p.Field = o
			for _, single := range []bool{false, true} {
				m, err := NewModel(p, d, ModelSettings{Single: single})
				if err != nil {
					t.Fatal(err)
				}
				m.fresh = true
				m.visitPush(&o.batch)
				m.visitLogs(&o.batch)
				if !vec.Finite(m.grad.Data) || !vec.Finite(m.pushes) || !vec.Finite(m.bound) || !vec.Finite(m.each) {
					t.Errorf("d = %d, spread %g, single %v: %v %v %v %v", d, spread, single, m.grad.Data, m.pushes, m.bound, m.each)
				}
			}
		}
	}
}
